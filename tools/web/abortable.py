"""Ends work as soon as a turn is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError

T = TypeVar("T")


async def abortable(work: Coroutine[Any, Any, T], signal: AbortSignal) -> T:
    """What `work` returns or raises. ToolError when `signal` is set first: `work` is cancelled."""
    task = asyncio.ensure_future(work)

    def stop() -> None:
        task.cancel()

    leave = signal.subscribe(stop)
    try:
        return await task
    except asyncio.CancelledError:
        if signal.aborted and task.cancelled() and not _is_cancelled():
            raise ToolError("aborted") from None
        raise
    finally:
        leave()
        task.cancel()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
