"""Looks after questions in every worker: ends those whose time is over, tells of new ones."""

from __future__ import annotations

import asyncio
import time

import structlog
from django.utils import timezone

from agents.database import run_db
from sessions.approvals.notice_routes import NOTICE_ROUTES, Notice
from sessions.approvals.notices import notices_claim
from sessions.approvals.services import approvals_expire
from sessions.models import Approval

log = structlog.get_logger(__name__)

# How often is looked, in seconds; one that ends sooner is ended on time.
WATCH_SECONDS = 1.0
_SHORTEST = 0.02


async def approvals_watch() -> None:
    """Looks until cancelled. No fault of a route or of the database ends it."""
    sending: set[asyncio.Task[None]] = set()
    while True:
        pause = WATCH_SECONDS
        try:
            pause, notices = await run_db(_round)
            for notice in notices:
                task = asyncio.create_task(notice_send(notice))
                sending.add(task)
                task.add_done_callback(sending.discard)
        except Exception as error:  # noqa: BLE001 - whatever it was, the next look tries again
            log.warning("approvals.watch_failed", error=str(error))
        await asyncio.sleep(pause)


async def notice_send(notice: Notice) -> None:
    """Carries one notice to its place. Never raises; what fails is in the log."""
    try:
        await NOTICE_ROUTES.get(notice.route)(notice)
    except Exception as error:  # noqa: BLE001 - a route may fail in any way
        log.warning(
            "approval.notice_failed",
            route=notice.route, approval=notice.approval_id, error=str(error),
        )  # fmt: skip


def _round() -> tuple[float, list[Notice]]:
    """Seconds until the next look, and what has to be told now."""
    ends = Approval.objects.filter(state=Approval.State.PENDING).order_by("expires_at")
    first = ends.values_list("expires_at", flat=True).first()
    if first is None:
        return WATCH_SECONDS, []
    now = timezone.now()
    if first <= now:
        approvals_expire(now=now)
        return _SHORTEST, []
    left = first.timestamp() - time.time()
    return max(_SHORTEST, min(WATCH_SECONDS, left)), notices_claim()
