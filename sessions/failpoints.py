"""Places where a test may kill the process without warning, to prove that nothing is lost.

`OPENCLAW_FAILPOINTS="claimed=0.2,streaming=0.1"` gives each named point a probability;
`OPENCLAW_FAILPOINT_SEED` makes the choice repeatable. Without the variable a point costs one
dictionary look-up. Names: accepted, claimed, streaming, tool_started, before_end, after_end.
"""

from __future__ import annotations

import os
import random
import signal

_chances: dict[str, float] = {
    name: float(chance or 1)
    for name, _, chance in (
        part.partition("=") for part in os.environ.get("OPENCLAW_FAILPOINTS", "").split(",") if part
    )
}
_random = random.Random(os.environ.get("OPENCLAW_FAILPOINT_SEED"))  # noqa: S311 - not for secrets


def failpoint(name: str) -> None:
    """Kills this process with SIGKILL if the point is armed and its chance comes up."""
    chance = _chances.get(name)
    if chance is not None and _random.random() < chance:
        os.kill(os.getpid(), signal.SIGKILL)
