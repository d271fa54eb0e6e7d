"""What it costs not to give up, and what stays in memory after many turns."""

from __future__ import annotations

import statistics
import time

import httpx

from tests.bench.client import session_key
from tests.bench.figures import Figure
from tests.bench.measures import Effort
from tests.bench.processes import memory_by_process
from tests.bench.stand import SPARE_MODELS, Stand

FAILOVER_GOAL_MS = 15.0
# Megabytes for each hundred turns.
GROWTH_GOAL_MB = 1.0
_TURNS_BETWEEN = 100
_SECOND_CREDENTIAL = """
from agents.models import AuthProfile
AuthProfile.objects.get_or_create(
    name="bench:second", defaults={"provider": "bench", "secret": "sk-second", "position": 9})
"""


async def failover(stand: Stand, effort: Effort) -> list[Figure]:
    """A turn whose first credential is refused for its model, against one that goes straight to
    the second: each model of the provider has its own rest, so each serves once."""
    stand.gateway.manage("shell", "-v", "0", "-c", _SECOND_CREDENTIAL)
    refused: list[float] = []
    straight: list[float] = []
    async with stand.client() as client:
        await client.turn(session_key("warm"), "hi")
        for number in range(effort.of(SPARE_MODELS, 6)):
            session = session_key("failover")
            await client.request("sessions.create", key=session, model=f"bench/spare-{number}")
            failing = f"[[status:429:1]] [[retry_after:none]] {session}"
            refused.append((await client.turn(session, failing)).final)
            straight.append((await client.turn(session, "hi")).final)
    call = _refused_call(stand, effort.of(20, 5))
    cost = (statistics.median(refused) - statistics.median(straight) - call) * 1000
    notes = {"refused": round(statistics.median(refused) * 1000, 1), "n": len(refused)}
    notes |= {"straight": round(statistics.median(straight) * 1000, 1), "call": call * 1000}
    return [Figure("failover beyond the failed call", cost, "ms", FAILOVER_GOAL_MS, notes=notes)]


def _refused_call(stand: Stand, count: int) -> float:
    """Seconds of a call that is refused, without a gateway."""
    body = {"model": "spare", "messages": [{"role": "user", "content": "[[status:429]]"}]}
    times: list[float] = []
    with httpx.Client(trust_env=False) as http:
        for _ in range(count):
            start = time.perf_counter()
            http.post(f"{stand.model.openai_url}/chat/completions", json=body)
            times.append(time.perf_counter() - start)
    return statistics.median(times)


async def growth(stand: Stand, effort: Effort) -> list[Figure]:
    """Memory of all processes over many turns of one session, the first hundred left out."""
    rounds = effort.of(5, 2)
    sizes: list[float] = []
    async with stand.client() as client:
        session = session_key("growth")
        for _ in range(rounds):
            for _ in range(_TURNS_BETWEEN):
                await client.turn(session, "hi")
            sizes.append(memory_by_process(stand.gateway)["sum"])
    each = (sizes[-1] - sizes[0]) / (rounds - 1)
    notes = {"after each hundred": " ".join(f"{size:.0f}" for size in sizes)}
    return [Figure("memory for 100 more turns", each, "MB", GROWTH_GOAL_MB, notes=notes)]
