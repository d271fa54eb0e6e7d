"""Shows the output of a running command while it grows."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

from agents.core.tools import ToolResult, UpdateFn
from tools.builtin.exec.output import Output

# Ten updates a second are as many as an eye can use; a command that is quicker shows none.
_PAUSE_SECONDS = 0.1
_LAST_UPDATE_SECONDS = 2.0


class Updates:
    """Calls `on_update` with the end of the output while the block runs, never after it."""

    def __init__(self, output: Output, on_update: UpdateFn) -> None:
        self._output = output
        self._on_update = on_update
        self._fresh = asyncio.Event()
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def add(self, data: bytes) -> None:
        """Takes the next bytes of the output."""
        self._output.add(data)
        self.notice()

    def notice(self) -> None:
        """Says that the output has grown."""
        self._fresh.set()

    async def __aenter__(self) -> Updates:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._fresh.set()
        if self._task is None:
            return
        # An update that was begun may end; one that hangs must not hold up the result.
        await asyncio.wait({self._task}, timeout=_LAST_UPDATE_SECONDS)
        self._task.cancel()

    async def _run(self) -> None:
        while not self._over.is_set():
            await self._fresh.wait()
            self._fresh.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), _PAUSE_SECONDS)
            if not self._over.is_set():
                await self._on_update(ToolResult.text(self._output.tail(), status="running"))
