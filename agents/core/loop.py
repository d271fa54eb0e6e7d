"""The agent loop: model call, tools, steering, follow-ups, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.core.answer import Answer, aborted_answer, stream_answer
from agents.core.errors import ProviderError
from agents.core.events import (
    AgentEnd,
    AgentStart,
    EmitFn,
    EndReason,
    MessageEnd,
    MessageStart,
    ModelCallStart,
    TurnEnd,
    TurnStart,
)
from agents.core.loop_config import (
    LoopConfig,
    LoopContext,
    MessageSource,
    RequestBuilder,
    nothing,
)
from agents.core.messages import AssistantMessage, Message, ToolCall
from agents.core.tool_calls import BatchOutcome, ToolBatch
from agents.core.tool_prepare import PreparedCall, prepare_call
from agents.core.transcript import OpenBatch, open_batch

__all__ = [
    "LoopConfig",
    "LoopContext",
    "MessageSource",
    "RequestBuilder",
    "nothing",
    "run_loop",
]


async def run_loop(context: LoopContext, config: LoopConfig, emit: EmitFn) -> AgentEnd:
    """Runs until done, failed, aborted or parked, and returns the AgentEnd it emitted last.

    Must not raise for anything a model or a tool does. An exception of `emit` (the listener lost
    its right to write, say) ends the loop, cancels running tools and propagates: nothing may go
    on unrecorded. When it ends as parked the batch that waits has no results yet; in every other
    case each tool call of the run has exactly one.
    """
    run = _Run(context, config, emit)
    await emit(AgentStart())
    outcome = await run.turns()
    end = AgentEnd(tuple(run.new), outcome.reason or "done", outcome.error)
    await emit(end)
    return end


@dataclass(frozen=True, slots=True)
class _TurnOutcome:
    """How one turn ended; no reason means that the model has to see the tool results."""

    reason: EndReason | None = None
    error: ProviderError | None = None

    @property
    def is_final(self) -> bool:
        """Whether the loop ends now, whatever waits in the queues."""
        return self.reason in ("error", "aborted", "parked")


class _Run:
    """The state of one run."""

    def __init__(self, context: LoopContext, config: LoopConfig, emit: EmitFn) -> None:
        self.new: list[Message] = []
        self._history = context.history
        self._prompts = context.prompts
        self._answers = context.answers
        self._config = config
        self._emit = emit
        self._tools = {tool.name: tool for tool in config.tools}

    async def turns(self) -> _TurnOutcome:
        """Takes turns until one is final or nothing is left to do."""
        batch = None if self._prompts else open_batch(self._history)
        incoming = list(self._prompts)
        if batch is None:
            incoming += await self._config.steering()
        outcome = await self._turn(incoming, batch)
        while not outcome.is_final:
            if self._config.signal.aborted:
                return outcome if outcome.reason else _TurnOutcome("aborted")
            incoming = await self._next_messages(outcome)
            if outcome.reason and not incoming:
                break
            outcome = await self._turn(incoming, None)
        return outcome

    async def _next_messages(self, outcome: _TurnOutcome) -> list[Message]:
        steered = await self._config.steering()
        if steered or outcome.reason is None:
            return list(steered)
        return list(await self._config.follow_up())

    async def _turn(self, incoming: Sequence[Message], batch: OpenBatch | None) -> _TurnOutcome:
        await self._emit(TurnStart())
        for message in incoming:
            await self._tell(message)
        if batch is not None:
            return await self._tools_turn(batch.message, self._prepare_open(batch))
        answer = await self._ask()
        await self._add(answer.message, answer.error)
        if answer.error is not None:
            await self._emit(TurnEnd(answer.message, ()))
            return _TurnOutcome(_failure_reason(answer), answer.error)
        return await self._tools_turn(answer.message, self._prepare(answer))

    async def _ask(self) -> Answer:
        config = self._config
        if config.signal.aborted:
            await self._emit(MessageStart("assistant"))
            return aborted_answer()
        request = await config.build_request(self._history)
        await self._emit(ModelCallStart(request))
        return await stream_answer(
            config.stream, request, config.signal, self._emit, grace=config.abort_grace
        )

    def _prepare(self, answer: Answer) -> list[PreparedCall]:
        # Only an answer that was cut off can hold calls that are not whole.
        cut = answer.message.stop_reason == "length"
        return [
            self._prepare_one(call, complete=not cut or call.id in answer.whole)
            for call in answer.message.tool_calls
        ]

    def _prepare_open(self, batch: OpenBatch) -> list[PreparedCall]:
        # Which calls arrived whole is not known any more; empty arguments are what a lost one has.
        cut = batch.message.stop_reason == "length"
        return [
            self._answered(call)
            or self._prepare_one(call, complete=not cut or bool(call.arguments))
            for call in batch.calls
        ]

    def _prepare_one(self, call: ToolCall, *, complete: bool) -> PreparedCall:
        absent = "" if call.name in self._tools else self._config.absent(call.name)
        return prepare_call(call, self._tools, complete=complete, absent=absent)

    def _answered(self, call: ToolCall) -> PreparedCall | None:
        result = self._answers.get(call.id)
        return None if result is None else PreparedCall(call, result=result, answered=True)

    async def _tools_turn(
        self, message: AssistantMessage, calls: Sequence[PreparedCall]
    ) -> _TurnOutcome:
        outcome = BatchOutcome()
        if calls:
            outcome = await ToolBatch(message, calls, self._config, self._emit, self._tell).run()
        await self._emit(TurnEnd(message, outcome.results))
        if outcome.parked:
            return _TurnOutcome("parked")
        if not calls:
            return _TurnOutcome("done")
        return _TurnOutcome("terminated" if outcome.terminate else None)

    async def _tell(self, message: Message) -> None:
        await self._emit(MessageStart(message.role))
        await self._add(message)

    async def _add(self, message: Message, error: ProviderError | None = None) -> None:
        self._history.append(message)
        self.new.append(message)
        await self._emit(MessageEnd(message, error))


def _failure_reason(answer: Answer) -> EndReason:
    aborted = answer.message.stop_reason == "aborted"
    return "aborted" if aborted else "error"
