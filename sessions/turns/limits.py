"""How long a turn may still take. Time parked does not count, time before a kill does."""

from __future__ import annotations

from datetime import datetime

from sessions.models import Run
from sessions.turns.turn import Turn

# A turn that was resumed gets this part of its limit at least: what it took until its worker was
# killed and how long nobody worked on it cannot be told apart.
_RESUMED_SHARE = 0.1


def unparked(run: Run, now: datetime) -> None:
    """Counts how long the run waited (for a person, or for a gateway that was stopped)."""
    if run.parked_at is not None:
        run.parked_seconds += max(0.0, (now - run.parked_at).total_seconds())
        run.parked_at = None


def time_limit(turn: Turn) -> float | None:
    """Seconds that a turn may take in all: its message's, else its agent's; None for no limit."""
    options = turn.items[0].options if turn.items else {}
    stated = options.get("timeoutMs")
    if stated is not None:
        return stated / 1000 if stated > 0 else None
    limit = turn.snapshot.timeout_seconds if turn.snapshot is not None else 0
    return float(limit) if limit > 0 else None


def time_left(turn: Turn, now: datetime) -> float | None:
    """Seconds that are left of it at `now`; None for no limit."""
    limit = time_limit(turn)
    if limit is None or not turn.resumed:
        return limit
    taken = (now - turn.run.started_at).total_seconds() - turn.run.parked_seconds
    return max(limit - taken, limit * _RESUMED_SHARE)
