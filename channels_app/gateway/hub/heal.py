"""Ends that nobody heard: Redis was away, a record was lost, a worker died between two writes.

Run ids that somebody waits for and that were silent for a while are looked up in the database,
all in one query a second, and get their end from there.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import structlog

from agents.database import run_db
from channels_app.gateway.hub.feed import Feed
from channels_app.gateway.hub.follower import end_record
from sessions.run_selectors import RunStatus, run_statuses

if TYPE_CHECKING:
    from channels_app.gateway.hub.hub import Hub

log = structlog.get_logger(__name__)

# design 4: the stream is not the truth.
SILENCE_SECONDS = 1.5
EVERY_SECONDS = 1.0


class Healer:
    """Runs while somebody waits for something."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to look after those who wait, if that is not done yet."""
        if self.task is None or self.task.done():
            self.task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self._has_work():
            await asyncio.sleep(EVERY_SECONDS)
            try:
                await self.round()
            except Exception as error:  # the next round may succeed
                log.warning("gateway.heal_failed", exc_info=error)

    def _has_work(self) -> bool:
        return any(feed.waits or feed.view is not None for feed in self._hub.feeds.values())

    async def round(self) -> None:
        """Asks the database once for everything that is silent."""
        moment = time.monotonic() - SILENCE_SECONDS
        silent = {
            wire: feed for feed in self._hub.feeds.values() for wire in feed.silent_since(moment)
        }
        if not silent:
            return
        found = await run_db(run_statuses, run_ids=list(silent))
        ended: dict[tuple[str, str], list[RunStatus]] = defaultdict(list)
        for wire, feed in silent.items():
            status = found.get(wire)
            # A run id is unique for one person only: another's run of the same id is no answer.
            if status is None or status.session_key != feed.key:
                feed.waits.pop(wire, None)
            elif status.ended:
                ended[(feed.key, status.internal_id or wire)].append(status)
        for (key, _run), statuses in ended.items():
            healed = self._hub.feeds.get(key)
            if healed is not None:
                await self._hub.show(healed, _record(healed, statuses))


def _record(feed: Feed, statuses: list[RunStatus]) -> dict[str, Any]:
    """One end for all run ids of a turn."""
    own = next((status for status in statuses if not status.merged_into), statuses[0])
    record = end_record(own)
    record["wires"] = [wire for status in statuses for wire in end_record(status)["wires"]]
    record["wire"] = own.merged_into or own.run_id
    record["seq"] = feed.view.seq + 1 if feed.view is not None else 0
    log.info("gateway.healed", session=feed.key, runs=[status.run_id for status in statuses])
    return record
