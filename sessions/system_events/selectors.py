"""Reads of the queues of system events."""

from __future__ import annotations

from sessions.models.system_events import SystemEvent


def system_events_waiting(*, session_key: str) -> list[SystemEvent]:
    """What the next turn of a session will be told, oldest first."""
    waiting = SystemEvent.objects.filter(session__key=session_key, taken_at=None)
    return list(waiting.order_by("id"))


def system_events_of_run(*, run_id: str) -> list[SystemEvent]:
    """What a run was told in front of its message, as long as it is kept."""
    return list(SystemEvent.objects.filter(run_id=run_id).order_by("id"))
