"""A model that answers from a script, for tests of anything that stands on the loop.

model = ScriptedModel([asks_for(ToolCall("1", "read", {"path": "a"})), "It says hello."])
session = create_agent_session(model=SCRIPTED_MODEL, client_or_stream_fn=model, tools=[...])
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace

import orjson

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_json
from agents.core.errors import ProviderError
from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    StopReason,
    Text,
    Thinking,
    ToolCall,
)
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Start,
    StreamFn,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
)

SCRIPTED_MODEL = ModelInfo(provider="scripted", id="scripted", api="scripted")
DELTA_CHARS = 8

ScriptedAnswer = str | AssistantMessage | ProviderError | StreamFn


class ScriptedModel:
    """A StreamFn and ModelClient that gives one scripted answer per call, in order.

    A text or AssistantMessage is streamed piece by piece, a ProviderError fails the call, a
    StreamFn is asked in the model's place. With the script at its end every call fails. The
    requests are kept in `requests`.
    """

    def __init__(self, answers: Iterable[ScriptedAnswer] = ()) -> None:
        self.requests: list[ModelRequest] = []
        self._answers = list(answers)

    def add(self, *answers: ScriptedAnswer) -> None:
        """Adds answers at the end of the script."""
        self._answers += answers

    @property
    def left(self) -> int:
        """How many answers were not asked for yet."""
        return len(self._answers)

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """The next answer as events."""
        self.requests.append(request)
        if not self._answers:
            return _stream_failure(request, ProviderError("The script has no answer left."))
        answer = self._answers.pop(0)
        if isinstance(answer, str):
            answer = AssistantMessage((Text(answer),))
        if isinstance(answer, AssistantMessage):
            return _stream_message(_named(answer, request), signal)
        if isinstance(answer, ProviderError):
            return _stream_failure(request, answer)
        return answer(request, signal)

    __call__ = stream

    async def aclose(self) -> None:
        """Nothing is open."""


def asks_for(
    *calls: ToolCall, text: str = "", stop_reason: StopReason = "toolUse"
) -> AssistantMessage:
    """An answer that calls tools, after `text` if there is any."""
    said: tuple[AssistantBlock, ...] = (Text(text),) if text else ()
    return AssistantMessage((*said, *calls), stop_reason=stop_reason)


def says_until_aborted(text: str) -> StreamFn:
    """An answer that streams `text` and then says no more until the run is aborted."""

    async def stream(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        yield Start()
        yield TextDelta(0, text)
        await signal.wait()
        message = _named(AssistantMessage((Text(text),)), request)
        yield _aborted(message)

    return stream


async def _stream_message(
    message: AssistantMessage, signal: AbortSignal
) -> AsyncIterator[ModelEvent]:
    yield Start()
    arrived: list[AssistantBlock] = []
    for index, block in enumerate(message.content):
        for event in _pieces(index, block):
            if signal.aborted:
                yield _aborted(replace(message, content=tuple(arrived)))
                return
            yield event
            await asyncio.sleep(0)
        arrived.append(block)
    if message.stop_reason in ("error", "aborted"):
        yield Failed(message, ProviderError(message.error_message or "scripted failure"))
    else:
        yield Done(message)


async def _stream_failure(request: ModelRequest, error: ProviderError) -> AsyncIterator[ModelEvent]:
    failed = AssistantMessage((), stop_reason="error", error_message=error.message)
    yield Failed(_named(failed, request), error)


def _pieces(index: int, block: AssistantBlock) -> Iterator[ModelEvent]:
    match block:
        case Text(text):
            yield from (TextDelta(index, piece) for piece in _cut(text))
        case Thinking(thinking):
            yield from (ThinkingDelta(index, piece) for piece in _cut(thinking))
        case ToolCall():
            written = orjson.dumps(clean_json(block.arguments)).decode()
            yield from (ToolCallDelta(index, block.id, block.name, part) for part in _cut(written))
            yield ToolCallEnd(index, block)


def _cut(text: str) -> Iterator[str]:
    return (text[start : start + DELTA_CHARS] for start in range(0, len(text), DELTA_CHARS))


def _named(message: AssistantMessage, request: ModelRequest) -> AssistantMessage:
    model = request.model
    return replace(message, api=model.api, provider=model.provider, model=model.id)


def _aborted(message: AssistantMessage) -> Failed:
    text = "The run was aborted."
    return Failed(
        replace(message, stop_reason="aborted", error_message=text),
        ProviderError(text, reason="aborted"),
    )
