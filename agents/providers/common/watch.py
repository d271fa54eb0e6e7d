"""Waiting that ends early: when the run is aborted, or when a service is silent too long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TypeVar

from agents.core.abort import AbortSignal

T = TypeVar("T")


class WaitAbortedError(Exception):
    """The signal was set."""


class WaitSilentError(Exception):
    """Nothing came within the limit."""


class Watch:
    """A context in which `wait` obeys a signal and an idle limit in seconds (None or 0: none).

    One task watches the signal for the whole stream, so that a wait costs no task of its own.
    """

    def __init__(self, signal: AbortSignal, idle_seconds: float | None) -> None:
        self._signal = signal
        self._idle = idle_seconds or None
        self._scope: asyncio.Timeout | None = None
        self._watcher: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Watch:
        self._watcher = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watcher is not None:
            self._watcher.cancel()

    async def _watch(self) -> None:
        await self._signal.wait()
        if self._scope is not None:
            self._scope.reschedule(asyncio.get_running_loop().time())

    async def wait(self, work: Callable[[], Awaitable[T]], limit: float | None = None) -> T:
        """The result of `work`. Raises WaitAbortedError, WaitSilentError, and what `work` raises.

        `limit` replaces the idle limit. Work is not begun after an abort, and what was begun is
        cancelled when it is not waited for any more.
        """
        if self._signal.aborted:
            raise WaitAbortedError
        try:
            async with asyncio.timeout(limit or self._idle) as self._scope:
                return await work()
        except TimeoutError as error:
            if self._signal.aborted:
                raise WaitAbortedError from error
            raise WaitSilentError from error
        finally:
            self._scope = None
