"""Runs one tool: partial output, the abort grace, and every way to fail as an error result."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import structlog

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_blocks
from agents.core.errors import ToolError
from agents.core.events import EmitFn, ToolExecutionUpdate
from agents.core.messages import Text, ToolCall
from agents.core.tools import Tool, ToolContext, ToolResult

ABORTED = "aborted"
# A cancelled tool gets this long to clean up; after it we go on without waiting for it.
CANCEL_GRACE_SECONDS = 1.0

log = structlog.get_logger(__name__)


class ToolRun:
    """One execution of one tool. Use it once."""

    def __init__(self, call: ToolCall, tool: Tool, context: ToolContext, emit: EmitFn) -> None:
        self._call = call
        self._tool = tool
        self._context = context
        self._emit = emit
        self._updates = asyncio.Lock()
        # Done as soon as nothing may come from the tool any more; holds the listener's exception.
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def result(self, signal: AbortSignal, grace: float) -> ToolResult:
        """What the tool gave back, or an error result.

        A tool that does not end within `grace` seconds of the signal is cancelled. Raises only
        what the listener raised for partial output; the tool is cancelled then too.
        """
        if signal.aborted:
            return ToolResult.text(ABORTED, is_error=True)
        task = asyncio.create_task(self._execute(signal))
        try:
            await self._wait(task, signal, grace)
        finally:
            await _stop(task)
        await self._close()
        return _outcome(task)

    async def _wait(
        self, task: asyncio.Task[ToolResult], signal: AbortSignal, grace: float
    ) -> None:
        loop = asyncio.get_running_loop()
        timers: list[asyncio.TimerHandle] = []
        leave = signal.subscribe(lambda: timers.append(loop.call_later(grace, self._shut)))
        try:
            ends: set[asyncio.Future[Any]] = {task, self._closed}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leave()
            for timer in timers:
                timer.cancel()

    async def _execute(self, signal: AbortSignal) -> ToolResult:
        call = self._call
        try:
            result = await self._tool.execute(
                call.id, call.arguments, self._context, signal, self._update
            )
        except ToolError as error:
            return ToolResult((Text(error.message),), details=error.details, is_error=True)
        except (Exception, SystemExit) as error:  # whatever a tool does, the model is told
            log.warning("tool_failed", tool=call.name, call_id=call.id, exc_info=True)
            return ToolResult.text(_described(error), is_error=True)
        if isinstance(result, ToolResult):
            return result
        return ToolResult.text(
            f"Tool {call.name!r} is broken: it returned {type(result).__name__}, no ToolResult.",
            is_error=True,
        )

    async def _update(self, partial: ToolResult) -> None:
        async with self._updates:
            if self._closed.done():
                return
            try:
                await self._emit(ToolExecutionUpdate(self._call, clean_result(partial)))
            except Exception as error:  # noqa: BLE001 - kept from the tool, raised by `result`
                self._closed.set_exception(error)
                self._closed.exception()  # seen: if we are cancelled now, nobody else will ask

    async def _close(self) -> None:
        async with self._updates:  # partial output on its way comes before the end
            self._shut()
        self._closed.result()

    def _shut(self) -> None:
        if not self._closed.done():
            self._closed.set_result(None)


def clean_result(result: ToolResult) -> ToolResult:
    """The same result with text that every store can hold."""
    content = clean_blocks(result.content)
    return result if content is result.content else replace(result, content=content)


async def _stop(task: asyncio.Task[ToolResult]) -> None:
    if task.done():
        return
    task.cancel()
    await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)


def _outcome(task: asyncio.Task[ToolResult]) -> ToolResult:
    if not task.done() or task.cancelled():
        return ToolResult.text(ABORTED, is_error=True)
    return clean_result(task.result())


def _described(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name}: {error}" if str(error) else name
