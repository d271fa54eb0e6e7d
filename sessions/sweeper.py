"""Finds work that nobody looks after and carries it on.

Runs in every worker, at its start and every 3 s: a Celery redelivery would come an hour late.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import redis
import structlog

from agents.database import run_db
from sessions.approvals.selectors import sessions_waiting
from sessions.lanes import lane_key
from sessions.models import InboxItem, Run
from sessions.redis_client import redis_async
from sessions.stops import everything_stopped
from sessions.system_events.background import endings_tell

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 3.0
# One sweep takes up this many sessions at most; the next one is never far.
LIMIT = 500


class Submits(Protocol):
    """What the sweeper needs of the engine."""

    def submit(self, session_id: str) -> None:
        """Looks after a session, if nobody else does."""
        ...


async def sweep_forever(engine: Submits) -> None:
    """Sweeps until cancelled. No fault of Redis or the database ends it."""
    while True:
        try:
            await sweep(engine)
        except Exception as error:  # noqa: BLE001 - whatever it was, the next sweep tries again
            log.warning("sweep.failed", error=str(error))
        await asyncio.sleep(SWEEP_SECONDS)


async def sweep(engine: Submits) -> int:
    """One look. Returns how many sessions it took up."""
    await endings_tell()
    waiting = await run_db(sessions_unfinished)
    if not waiting:
        return 0
    try:
        async with redis_async().pipeline(transaction=False) as pipe:
            for session_id in waiting:
                pipe.exists(lane_key(session_id))
            held = await pipe.execute()
    except (redis.RedisError, OSError):
        return 0
    alone = [one for one, taken in zip(waiting, held, strict=True) if not taken][:LIMIT]
    for session_id in alone:
        engine.submit(session_id)
    if alone:
        log.info("sweep.took_up", count=len(alone))
    return len(alone)


def sessions_unfinished() -> list[str]:
    """Sessions with a waiting message or an open run, unless that run waits for a decision."""
    if everything_stopped():
        return []
    # Without their default order: it would take part in DISTINCT, and cost a sort.
    waiting = InboxItem.objects.filter(outcome="", run=None).order_by()
    # Asked for as the index of open runs is written, so that ended ones are not read.
    unended = Run.objects.exclude(state=Run.State.ENDED).order_by()
    wanted = set(waiting.values_list("session_id", flat=True).distinct())
    parked = set()
    for session_id, state, stop in unended.values_list("session_id", "state", "stop_kind"):
        wanted.add(session_id)
        if state == Run.State.PARKED and not stop:
            parked.add(session_id)
    # Somebody must decide first; messages wait behind it.
    return sorted(wanted - sessions_waiting(parked))
