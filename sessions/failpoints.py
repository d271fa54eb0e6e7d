"""Places where a test may kill the process without warning, to prove that nothing is lost.

`OPENCLAW_FAILPOINTS="claimed=0.2,streaming=0.1"` gives each named point a probability;
`OPENCLAW_FAILPOINT_SEED` makes the choice repeatable, another one for each start of a process, or
a restarted one would die at the same place for ever. Without the variable a point costs one
dictionary look-up. Names: accepted, claimed, streaming, tool_started, before_end, after_end.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

_chances: dict[str, float] = {
    name: float(chance or 1)
    for name, _, chance in (
        part.partition("=") for part in os.environ.get("OPENCLAW_FAILPOINTS", "").split(",") if part
    )
}


def _generator() -> random.Random:
    seed = os.environ.get("OPENCLAW_FAILPOINT_SEED")
    if not _chances or seed is None:
        return random.Random()  # noqa: S311 - not for secrets
    program = Path(sys.argv[0]).stem
    counter = Path(os.environ["OPENCLAW_HOME"]) / f"failpoints-{program}"
    start = int(counter.read_text()) + 1 if counter.exists() else 1
    counter.write_text(str(start))
    return random.Random(f"{seed} {program} {start}")  # noqa: S311


_random = _generator()


def failpoint(name: str) -> None:
    """Kills this process with SIGKILL if the point is armed and its chance comes up.

    The last thing it does is to write the point's name to its error output.
    """
    chance = _chances.get(name)
    if chance is not None and _random.random() < chance:
        os.write(2, f"failpoint {name}\n".encode())
        os.kill(os.getpid(), signal.SIGKILL)
