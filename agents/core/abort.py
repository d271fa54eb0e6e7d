"""A one-way signal that asks running work to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

# Why the work was asked to end; kept apart because each is told differently to the person.
AbortKind = Literal["rpc", "stop", "timeout", "interrupt", "restart", "lease_lost", "tool_loop"]


class AbortSignal:
    """Set once, seen by every holder. Safe to set again (the first reason stays).

    Belongs to one event loop: `abort` must be called on it.
    """

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._callbacks: list[Callable[[], None]] = []
        self.kind: AbortKind | None = None

    @property
    def aborted(self) -> bool:
        """Whether somebody asked to end."""
        return self._event.is_set()

    def abort(self, kind: AbortKind = "rpc") -> None:
        """Asks all holders to end. Never raises."""
        if self.aborted:
            return
        self.kind = kind
        self._event.set()
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls `callback` once when the signal is set, at once if it is; returns the way out.

        `callback` must not raise. For holders that cannot afford a waiting task.
        """
        if self.aborted:
            callback()
            return lambda: None
        self._callbacks.append(callback)
        return lambda: self._forget(callback)

    def _forget(self, callback: Callable[[], None]) -> None:
        if callback in self._callbacks:
            self._callbacks.remove(callback)

    async def wait(self) -> None:
        """Returns as soon as the signal is set."""
        await self._event.wait()
