"""Tells when a session's requests stop beginning like the ones before, and why.

Services cache prompts by their beginning, so anything that changes it is paid for again. Every call
is logged with its fingerprints (`cache_trace`); a break is logged and reported (`cache_break`)
with its reasons. What is remembered is this process's: a session that another worker served in
between is compared with the last call here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import structlog

from agents.core.abort import AbortSignal
from agents.core.model import Done, ModelEvent, ModelRequest, StreamFn
from agents.providers.wrappers.cache_prints import CachePrint, break_reasons, cache_print
from agents.providers.wrappers.context import WrapperContext, closing

log = structlog.get_logger(__name__)

MAX_SESSIONS = 1_000
# A service that reads this much less from its cache than before, in tokens and as a share, has
# lost it although nothing changed here.
_LOST_TOKENS = 1_000
_LOST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class _Call:
    printed: CachePrint
    cache_read: int | None = None


_SESSIONS: OrderedDict[str, _Call] = OrderedDict()


def cache_trace(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream`, watched. Events pass through unchanged."""

    async def run(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        session = context.session_id or request.session_id
        now, before = cache_print(request), _SESSIONS.get(session)
        reasons = [] if before is None else break_reasons(before.printed, now)
        facts = {"model": now.model, "session": session, "run": context.run_id}
        log.info("cache_trace", prefix=now.prefix, messages=len(now.messages), **facts)
        if reasons:
            _tell(context, facts, reasons)
        _remember(session, _Call(now))
        async with closing(stream(request, signal)) as events:
            async for event in events:
                if isinstance(event, Done):
                    read = event.message.usage.cache_read
                    _remember(session, _Call(now, read))
                    if before is not None and not reasons and _has_lost(before.cache_read, read):
                        _tell(context, facts, ["unexplained"], before.cache_read, read)
                yield event

    return run


def _tell(
    context: WrapperContext,
    facts: dict[str, Any],
    reasons: list[str],
    read_before: int | None = None,
    read_now: int | None = None,
) -> None:
    told = {**facts, "reasons": reasons}
    if read_now is not None:
        told |= {"cache_read_before": read_before, "cache_read": read_now}
    log.warning("cache_break", **told)
    context.report("cache_break", told)


def _has_lost(before: int | None, now: int) -> bool:
    if before is None:
        return False
    return before - now >= _LOST_TOKENS and now < before * (1 - _LOST_SHARE)


def _remember(session: str, call: _Call) -> None:
    if not session:
        return
    _SESSIONS[session] = call
    _SESSIONS.move_to_end(session)
    while len(_SESSIONS) > MAX_SESSIONS:
        _SESSIONS.popitem(last=False)
