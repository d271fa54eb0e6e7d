"""The Celery tasks behind the platform's ticks."""

from __future__ import annotations

from celery import shared_task

from agents.credentials.refresh import MARGIN, credentials_refresh_due
from scheduler.pruning import prune_all
from tools.media.videos import videos_look


@shared_task(name="scheduler.prune")
def prune() -> None:
    """Removes what has served its time."""
    prune_all()


@shared_task(name="scheduler.refresh_tokens")
def refresh_tokens() -> None:
    """Renews the tokens that end soon, so that no call has to wait for it."""
    credentials_refresh_due(margin=MARGIN)


@shared_task(name="scheduler.check_videos")
def check_videos() -> None:
    """Asks services for the videos that agents have begun."""
    videos_look()
