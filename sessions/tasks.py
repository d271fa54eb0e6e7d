"""Celery's door: the bell of a session."""

from __future__ import annotations

from celery import shared_task


@shared_task(name="sessions.wake", ignore_result=True, acks_late=False)
def session_wake(session_id: str) -> None:
    """Starts the session's turn on this worker's event loop and returns at once."""
    from sessions.worker import worker_submit

    worker_submit(session_id)
