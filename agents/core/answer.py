"""One model call as the loop sees it: events passed on, one complete message at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import structlog

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.events import EmitFn, MessageStart, MessageUpdate
from agents.core.messages import AssistantBlock, AssistantMessage, Text, Thinking, ToolCall
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Restart,
    Start,
    StreamFn,
    TextDelta,
    ThinkingDelta,
    ToolCallEnd,
)

# What a stream may still do after its last event (write a log line, close a connection).
CLOSING_SECONDS = 1.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer. `error` is set when it failed or was aborted.

    `whole` holds the ids of the calls whose arguments are known to have arrived whole.
    """

    message: AssistantMessage
    error: ProviderError | None = None
    whole: frozenset[str] = frozenset()


def aborted_answer(model: ModelInfo | None = None) -> Answer:
    """The answer of a call that was not made because the abort signal came first."""
    error = ProviderError("The run was aborted before the model was asked.", reason="aborted")
    return Answer(_Partial(model).message(error), error)


async def stream_answer(
    stream: StreamFn, request: ModelRequest, signal: AbortSignal, emit: EmitFn, *, grace: float
) -> Answer:
    """Calls the model and tells `emit` the start and every piece of the message.

    Never raises for what the stream does: one that raises, ends without Done or Failed, or does
    not end within `grace` seconds of the signal gives a failed answer with what had arrived.
    """
    partial = _Partial(request.model)
    events = _Events(stream, request, signal, grace, partial)
    try:
        event = await events.next()
        await emit(MessageStart("assistant"))
        while not isinstance(event, Done | Failed):
            if not isinstance(event, Start):
                partial.add(event)
                await emit(MessageUpdate(event))
            event = await events.next()
    finally:
        await events.close()
    error = event.error if isinstance(event, Failed) else None
    return Answer(event.message, error, frozenset(call.id for call in partial.calls.values()))


@dataclass(slots=True)
class _Partial:
    """What has arrived so far, for streams that break their contract. O(1) per event."""

    model: ModelInfo | None
    texts: dict[int, list[str]] = field(default_factory=dict)
    thoughts: dict[int, list[str]] = field(default_factory=dict)
    calls: dict[int, ToolCall] = field(default_factory=dict)

    def add(self, event: ModelEvent) -> None:
        if isinstance(event, Restart):
            self.texts.clear()
            self.thoughts.clear()
            self.calls.clear()
        elif isinstance(event, TextDelta):
            self.texts.setdefault(event.index, []).append(event.delta)
        elif isinstance(event, ThinkingDelta):
            self.thoughts.setdefault(event.index, []).append(event.delta)
        elif isinstance(event, ToolCallEnd):
            self.calls[event.index] = event.call

    def message(self, error: ProviderError) -> AssistantMessage:
        blocks: list[tuple[int, AssistantBlock]] = [*self.calls.items()]
        blocks += [(index, Text("".join(parts))) for index, parts in self.texts.items()]
        blocks += [(index, Thinking("".join(parts))) for index, parts in self.thoughts.items()]
        model = self.model
        return AssistantMessage(
            content=tuple(block for _, block in sorted(blocks, key=lambda item: item[0])),
            api=model.api if model else "",
            provider=model.provider if model else "",
            model=model.id if model else "",
            stop_reason="aborted" if error.reason == "aborted" else "error",
            error_message=error.message,
        )


class _Events:
    """The events of one stream, with every way to break the contract turned into Failed.

    Belongs to the task that made it.
    """

    def __init__(
        self,
        stream: StreamFn,
        request: ModelRequest,
        signal: AbortSignal,
        grace: float,
        partial: _Partial,
    ) -> None:
        self._stream = stream
        self._request = request
        self._signal = signal
        self._grace = grace
        self._partial = partial
        self._events: AsyncIterator[ModelEvent] | None = None
        self._ended = False
        self._task = asyncio.current_task()
        self._waiting = self._late = self._cut = False
        self._timer: asyncio.TimerHandle | None = None
        self._leave = signal.subscribe(self._start_grace)

    async def next(self) -> ModelEvent:
        """The next event. Never raises, except for a cancellation that comes from outside."""
        try:
            event = await self._wait()
        except StopAsyncIteration:
            event = self._failed(ProviderError("The model's answer stopped without an end."))
        except ProviderError as error:
            event = self._failed(error)
        except Exception as error:  # a broken stream must not break the loop
            if not self._signal.aborted:
                log.exception("model_stream_raised")
            event = self._failed(ProviderError(f"{type(error).__name__}: {error}"))
        self._ended = isinstance(event, Done | Failed)
        return event

    async def close(self) -> None:
        """Lets an ended stream finish, so that what wraps it can too, and closes any other."""
        self._leave()
        if self._timer is not None:
            self._timer.cancel()
        if self._events is None:
            return
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await _finish(self._events, ended=self._ended)
        except Exception:  # the answer is complete; what fails now is only told to the log
            log.warning("model_stream_not_closed", exc_info=True)

    async def _wait(self) -> ModelEvent:
        # asyncio.timeout would do the same at 4 µs an event.
        if self._late:
            raise TimeoutError
        if self._events is None:
            self._events = aiter(self._stream(self._request, self._signal))
        self._waiting = True
        try:
            return await anext(self._events)
        except asyncio.CancelledError:
            if self._cut and self._uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = False

    def _start_grace(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._grace, self._end_grace)

    def _end_grace(self) -> None:
        self._late = True
        if self._waiting and self._task is not None:
            self._cut = True
            self._task.cancel()

    def _uncancel(self) -> int:
        return self._task.uncancel() if self._task is not None else 0

    def _failed(self, error: ProviderError) -> Failed:
        if self._signal.aborted:
            error = ProviderError("The run was aborted.", reason="aborted")
        return Failed(self._partial.message(error), error)


async def _finish(events: AsyncIterator[ModelEvent], *, ended: bool) -> None:
    if ended:
        await anext(events, None)
    aclose = getattr(events, "aclose", None)
    if aclose is not None:
        await aclose()
