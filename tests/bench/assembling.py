"""How long it takes to put the history of a long session together."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.bench.figures import Figure
from tests.bench.measures import Effort
from tests.bench.stand import Stand

if TYPE_CHECKING:
    from sessions.models import Transcript

ASSEMBLE_GOAL_MS = 40.0
ENTRIES = 2_000
_CALL = "from tests.bench.assembling import report; report({count})"


async def assemble(stand: Stand, effort: Effort) -> list[Figure]:
    """A session of 2,000 entries: read for the first time in a process, and known already."""
    code = _CALL.format(count=effort.of(15, 5))
    found = json.loads(stand.gateway.manage("shell", "-v", "0", "-c", code).splitlines()[-1])
    notes = {"entries": ENTRIES, "known already": found["warm"], "n": found["n"]}
    return [Figure("assembling a long session", found["cold"], "ms", ASSEMBLE_GOAL_MS, notes=notes)]


def report(count: int) -> None:
    """Writes the median times in milliseconds as JSON; runs within the gateway's settings."""
    from sessions.turns.history import history_forget
    from tests.sessions.context_stage import history_write, long_talk

    # Of five entries in two turns.
    messages = long_talk(100_000, turns=ENTRIES * 2 // 5)
    talk = [message for message, _ in zip(messages, range(ENTRIES), strict=False)]
    transcript = history_write(talk, key="agent:main:bench-assemble")
    cold, warm = [], []
    for _ in range(count + 1):
        history_forget(transcript_id=transcript.pk)
        first, second = _times(transcript)
        cold.append(first)
        warm.append(second)
    figures = {"cold": _median(cold[1:]), "warm": _median(warm[1:]), "n": count}
    sys.stdout.write(json.dumps(figures) + "\n")


def _times(transcript: Transcript) -> Iterator[float]:
    from sessions.turns.history import branch_read

    last = transcript.next_seq - 1
    for _ in range(2):
        began = time.perf_counter()
        branch_read(transcript_id=transcript.pk, leaf=transcript.leaf, last_seq=last).messages()
        yield (time.perf_counter() - began) * 1000


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 2)
