"""The Celery tasks behind the platform's ticks."""

from __future__ import annotations

from celery import shared_task

from scheduler.pruning import prune_all


@shared_task(name="scheduler.prune")
def prune() -> None:
    """Removes what has served its time."""
    prune_all()
