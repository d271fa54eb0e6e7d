"""One line of a run's timeline."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

_STATE_KINDS = {
    "running": "busy",
    "parked": "warn",
    "pending": "none",
    "started": "busy",
    "sending": "busy",
    "done": "ok",
    "sent": "ok",
    "failed": "bad",
    "denied": "bad",
    "interrupted": "warn",
    "unknown": "warn",
    "suppressed": "none",
    "skipped": "none",
    "timeout": "warn",
    "blocked": "warn",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the timeline. `at` and `length` are milliseconds; None while it goes on."""

    kind: str
    title: str
    started: datetime
    ended: datetime | None
    at: float = 0
    length: float | None = None
    x: int = 0
    width: int = 0
    detail: str = ""
    state: str = ""
    state_kind: str = "none"
    subject: Any = None
    facts: list[tuple[str, str]] = field(default_factory=list)


def state_kind(state: str) -> str:
    """Which dot a stored state gets: ok, bad, warn, busy or none."""
    return _STATE_KINDS.get(state, "none")
