"""The tool calls of one answer: judged together, run together, answered in source order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.core.events import (
    EmitFn,
    LoopEvent,
    ToolBatchJudged,
    ToolExecutionEnd,
    ToolExecutionStart,
)
from agents.core.loop_config import LoopConfig
from agents.core.messages import AssistantMessage, ToolResultMessage, blocks_text
from agents.core.tool_prepare import PreparedCall, change_arguments
from agents.core.tool_run import ABORTED, ToolRun, clean_result
from agents.core.tools import Deny, Park, ToolResult, Verdict

RecordFn = Callable[[ToolResultMessage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What became of a batch. `terminate` is true when every result asked to stop."""

    results: tuple[ToolResultMessage, ...] = ()
    parked: bool = False
    terminate: bool = False


class ToolBatch:
    """The calls of `message` that have no result yet. Use it once.

    `record` stores a result message; it is awaited in source order.
    """

    def __init__(
        self,
        message: AssistantMessage,
        calls: Sequence[PreparedCall],
        config: LoopConfig,
        emit: EmitFn,
        record: RecordFn,
    ) -> None:
        self._message = message
        self._calls = calls
        self._config = config
        self._emit = one_at_a_time(emit)
        self._record = record

    async def run(self) -> BatchOutcome:
        """Answers every call, or none when a verdict is Park. Raises only what `emit` raised."""
        if await self._parks():
            return BatchOutcome(parked=True)
        results = await (self._in_turn() if self._is_sequential() else self._together())
        terminate = all(call.result is not None and call.result.terminate for call in self._calls)
        return BatchOutcome(tuple(results), terminate=terminate)

    async def _parks(self) -> bool:
        """Gives every call its verdict; true when somebody must decide first."""
        waiting = [call for call in self._calls if not call.answered]
        if not waiting:
            return False
        verdicts = await self._verdicts(waiting)
        await self._emit(
            ToolBatchJudged(self._message, tuple(call.call for call in waiting), tuple(verdicts))
        )
        parks = any(isinstance(verdict, Park) for verdict in verdicts)
        if parks and not self._config.signal.aborted:
            return True
        for call, verdict in zip(waiting, verdicts, strict=True):
            _apply(call, verdict)
        return False

    async def _verdicts(self, waiting: Sequence[PreparedCall]) -> list[Verdict]:
        ready = [call.call for call in waiting if call.result is None]
        judged: list[Verdict] = []
        if self._config.signal.aborted:
            judged = [Deny(ABORTED) for _ in ready]
        elif ready:
            judged = await self._config.gate.judge(ready, self._config.tool_context)
        if len(judged) != len(ready):
            raise ValueError(f"The gate gave {len(judged)} verdicts for {len(ready)} calls.")
        verdicts = iter(judged)
        return [
            change_arguments(call, next(verdicts))
            if call.result is None
            else Deny(blocks_text(call.result.content))
            for call in waiting
        ]

    def _is_sequential(self) -> bool:
        return self._config.execution == "sequential" or any(
            call.tool is not None and call.tool.execution == "sequential" for call in self._calls
        )

    async def _in_turn(self) -> list[ToolResultMessage]:
        results = []
        for call in self._calls:
            await self._emit(ToolExecutionStart(call.call))
            await self._finish(call)
            results.append(await self._answer(call))
        return results

    async def _together(self) -> list[ToolResultMessage]:
        running = []
        for call in self._calls:
            await self._emit(ToolExecutionStart(call.call))
            if call.result is None:
                running.append(call)
            else:
                await self._finish(call)
        await self._finish_all(running)
        return [await self._answer(call) for call in self._calls]

    async def _finish_all(self, running: Sequence[PreparedCall]) -> None:
        if len(running) == 1:
            await self._finish(running[0])
            return
        try:
            async with asyncio.TaskGroup() as group:
                for call in running:
                    group.create_task(self._finish(call))
        except BaseExceptionGroup as failures:
            # Only the listener raises here; callers wait for its exception, not for a group.
            raise failures.exceptions[0] from None

    async def _finish(self, call: PreparedCall) -> None:
        if call.result is None:
            call.result = await self._execute(call)
        if not call.answered:
            call.result = self._config.observe(call.call, call.result)
        await self._emit(ToolExecutionEnd(call.call, call.result))

    async def _execute(self, call: PreparedCall) -> ToolResult:
        if call.tool is None:
            raise ValueError(f"The call {call.call.id} was prepared without a tool or a result.")
        run = ToolRun(call.call, call.tool, self._config.tool_context, self._emit)
        return await run.result(self._config.signal, self._config.abort_grace)

    async def _answer(self, call: PreparedCall) -> ToolResultMessage:
        result = clean_result(call.result or ToolResult.text(ABORTED, is_error=True))
        message = ToolResultMessage(
            tool_call_id=call.call.id,
            tool_name=call.call.name,
            content=result.content,
            is_error=result.is_error,
            details=result.details or None,
        )
        await self._record(message)
        return message


def one_at_a_time(emit: EmitFn) -> EmitFn:
    """The same listener, never called again before its last call returned."""
    lock = asyncio.Lock()

    async def emit_in_turn(event: LoopEvent) -> None:
        async with lock:
            await emit(event)

    return emit_in_turn


def _apply(call: PreparedCall, verdict: Verdict) -> None:
    if call.result is not None:
        return
    if isinstance(verdict, Deny):
        call.refuse(verdict.reason)
    elif isinstance(verdict, Park):
        call.refuse(ABORTED)  # nobody waits for the decision any more
