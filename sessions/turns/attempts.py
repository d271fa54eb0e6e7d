"""Trying a model call again when the service was briefly unable, and nothing was shown yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import structlog

from agents.core.abort import AbortSignal
from agents.core.model import Failed, ModelEvent, ModelRequest, Start, StreamFn

log = structlog.get_logger(__name__)

# Seconds before the second and the third try; a longer wait asked for by the service fails at once.
PAUSES = (1.0, 3.0)
LONGEST_PAUSE = 20.0


def with_retries(stream: StreamFn, pauses: tuple[float, ...] = PAUSES) -> StreamFn:
    """`stream` with up to `len(pauses)` further tries for failures that pass by themselves.

    Once any piece of an answer was passed on the failure stands: nobody sees two beginnings.
    """

    async def run(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        for pause in (*pauses, None):
            shown = False
            async for event in stream(request, signal):
                if isinstance(event, Failed) and not shown and _worth(event, pause, signal):
                    await _rest(event, pause or 0.0, signal)
                    break
                shown = shown or not isinstance(event, Start | Failed)
                yield event
            else:
                return

    return run


def _worth(event: Failed, pause: float | None, signal: AbortSignal) -> bool:
    if pause is None or signal.aborted or not event.error.retryable:
        return False
    return (event.error.retry_after or 0) <= LONGEST_PAUSE


async def _rest(event: Failed, pause: float, signal: AbortSignal) -> None:
    seconds = max(pause, event.error.retry_after or 0.0)
    log.info("model.retry", reason=event.error.reason, seconds=seconds)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await signal.wait()
