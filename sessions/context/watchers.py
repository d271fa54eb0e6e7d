"""Who wants to know of compactions: hooks of plugins, notes that are to be written beforehand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from agents.core.registry import Registry
from sessions.turns.turn import Turn

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CompactionNews:
    """A compaction that is about to begin, or that has succeeded (`after` is true).

    `messages` is how many there are, `compacting` how many are or were summarised; `tokens` is the
    estimated size of the context at that moment.
    """

    turn: Turn
    after: bool
    trigger: str
    messages: int
    compacting: int
    tokens: int


Watcher = Callable[[CompactionNews], Awaitable[None]]
# Awaited one after another before the summary is asked for, and once it is stored.
BEFORE_COMPACTION: Registry[Watcher] = Registry("watcher before compactions")
AFTER_COMPACTION: Registry[Watcher] = Registry("watcher after compactions")


async def compaction_tell(news: CompactionNews) -> None:
    """Tells everybody. A watcher that raises is logged and changes nothing."""
    for name, watcher in AFTER_COMPACTION if news.after else BEFORE_COMPACTION:
        try:
            await watcher(news)
        except Exception:
            log.exception("compaction.watcher_failed", watcher=name, after=news.after)
