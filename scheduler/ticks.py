"""The platform's own ticks. Agents' jobs are rows of their own and do not stand here.

Every tick expires: one that waited (no worker ran) is worth nothing when the next is due.
"""

from __future__ import annotations

from typing import Any, TypedDict

# Seconds.
_PRUNE_EVERY = 600
_REFRESH_EVERY = 60
_VIDEOS_EVERY = 15


class Tick(TypedDict):
    """One entry of Celery's `beat_schedule`; `schedule` is in seconds."""

    task: str
    schedule: float
    options: dict[str, Any]


def _tick(task: str, every: float) -> Tick:
    # The database's scheduler knows this name only; it becomes the message's `expires`.
    return {"task": task, "schedule": every, "options": {"expire_seconds": int(every)}}


TICKS: dict[str, Tick] = {
    "prune": _tick("scheduler.prune", _PRUNE_EVERY),
    "refresh_tokens": _tick("scheduler.refresh_tokens", _REFRESH_EVERY),
    "check_videos": _tick("scheduler.check_videos", _VIDEOS_EVERY),
}
