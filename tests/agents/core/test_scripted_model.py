"""The scripted model keeps the contract of every model client."""

from __future__ import annotations

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, Text, Thinking, ToolCall, UserMessage
from agents.core.model import (
    Done,
    Failed,
    ModelClient,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from agents.core.testing import SCRIPTED_MODEL, ScriptedAnswer, ScriptedModel, asks_for

REQUEST = ModelRequest(SCRIPTED_MODEL, (UserMessage("hi"),))


async def events_of(answer: ScriptedAnswer) -> list[ModelEvent]:
    return [event async for event in ScriptedModel([answer]).stream(REQUEST, AbortSignal())]


async def test_it_works() -> None:
    client: ModelClient = ScriptedModel(["A text that takes more than one piece."])

    events = [event async for event in client.stream(REQUEST, AbortSignal())]
    await client.aclose()

    text = "".join(event.delta for event in events if isinstance(event, TextDelta))
    assert text == "A text that takes more than one piece."
    last = events[-1]
    assert isinstance(last, Done)
    assert (last.message.text, last.message.provider) == (text, "scripted")


async def test_every_kind_of_block_is_streamed() -> None:
    message = AssistantMessage(
        (Thinking("let me see"), Text("ok"), ToolCall("1", "read", {"path": "a.md"}))
    )

    events = await events_of(message)

    thought = "".join(event.delta for event in events if isinstance(event, ThinkingDelta))
    arguments = "".join(event.delta for event in events if isinstance(event, ToolCallDelta))
    assert thought == "let me see"
    assert arguments == '{"path":"a.md"}'


async def test_failures_are_values() -> None:
    error = ProviderError("busy", reason="overloaded")

    by_error = (await events_of(error))[-1]
    by_message = (await events_of(asks_for(text="half", stop_reason="error")))[-1]

    assert isinstance(by_error, Failed)
    assert by_error.error is error
    assert isinstance(by_message, Failed)
    assert by_message.message.text == "half"


async def test_a_script_at_its_end_fails_the_call() -> None:
    model = ScriptedModel()
    events = [event async for event in model(REQUEST, AbortSignal())]

    assert isinstance(events[-1], Failed)
    assert "no answer left" in events[-1].error.message
    assert model.requests == [REQUEST]


async def test_an_abort_between_two_pieces_ends_the_answer() -> None:
    signal = AbortSignal()
    events = []
    async for event in ScriptedModel(["a text of several pieces"]).stream(REQUEST, signal):
        events.append(event)
        signal.abort()

    assert isinstance(events[-1], Failed)
    assert events[-1].message.stop_reason == "aborted"
    assert len(events) == 2
