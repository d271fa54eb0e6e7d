"""The wrapper that takes tags out of a stream: pieces and message tell the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, StopReason, Text, Thinking, ToolCall
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelRequest,
    Restart,
    Start,
    TextDelta,
    ThinkingDelta,
)
from agents.core.testing import SCRIPTED_MODEL, ScriptedModel
from agents.providers.wrappers.compose import wrapped
from agents.providers.wrappers.context import WrapperContext
from agents.providers.wrappers.think_tags import message_split


async def events_of(stream: Any, **model: Any) -> list[ModelEvent]:
    request = ModelRequest(model=replace(SCRIPTED_MODEL, **model), messages=())
    return [
        event
        async for event in wrapped(stream, ["think_tags"], WrapperContext())(request, AbortSignal())
    ]


def texts(events: list[ModelEvent]) -> tuple[str, str]:
    said = "".join(event.delta for event in events if isinstance(event, TextDelta))
    return said, "".join(event.delta for event in events if isinstance(event, ThinkingDelta))


async def test_it_works() -> None:
    """The scripted model cuts its answers every eight characters."""
    events = await events_of(ScriptedModel(["<thinking>hm, well</thinking>\n\nHello there"]).stream)
    done = events[-1]
    assert texts(events) == ("Hello there", "hm, well")
    assert isinstance(done, Done)
    assert done.message.content == (Thinking("hm, well"), Text("Hello there"))


async def test_an_answer_without_tags_is_passed_on_untouched() -> None:
    answer = AssistantMessage((Text("Plain `code` > text", signature="s"),))
    passed = await events_of(ScriptedModel([answer]).stream)
    plain = [event async for event in ScriptedModel([answer]).stream(_request(), AbortSignal())]
    assert [type(event) for event in passed] == [type(event) for event in plain]
    assert texts(passed)[0] == "Plain `code` > text"
    done = passed[-1]
    assert isinstance(done, Done)
    assert done.message.content == answer.content


def _request() -> ModelRequest:
    return ModelRequest(model=SCRIPTED_MODEL, messages=())


@pytest.mark.parametrize(
    ("content", "stop", "said"),
    [
        ((Text("<think>all of it"),), "stop", "all of it"),
        ((Text("<think>cut short"),), "length", ""),
        ((Text("<think>now a tool"), ToolCall("1", "read", {})), "toolUse", ""),
    ],
)
async def test_a_tag_that_is_never_closed(
    content: tuple[Any, ...], stop: StopReason, said: str
) -> None:
    message = AssistantMessage(content, stop_reason=stop)
    events = await events_of(ScriptedModel([message]).stream)
    done = events[-1]
    assert isinstance(done, Done)
    assert done.message.text == said == texts(events)[0]
    assert done.message.tool_calls == message.tool_calls


async def test_only_final_text_where_the_model_says_so() -> None:
    compat = {"enforceFinalTag": True}
    events = await events_of(ScriptedModel(["plan <final>Hi</final>"]).stream, compat=compat)
    assert texts(events) == ("Hi", "plan ")


async def test_a_failed_answer_leaks_nothing_either() -> None:
    async def broken(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        yield Start()
        yield TextDelta(0, "Hi <think>sec")
        error = ProviderError("away")
        message = AssistantMessage((Text("Hi <think>sec"),), stop_reason="error")
        yield Failed(message, error)

    events = await events_of(broken)
    failed = events[-1]
    assert isinstance(failed, Failed)
    assert failed.error.message == "away"
    assert (failed.message.text, texts(events)) == ("Hi ", ("Hi ", "sec"))


async def test_a_call_made_again_begins_anew() -> None:
    async def again(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        yield TextDelta(0, "<think>lost")
        yield Restart()
        yield TextDelta(0, "Hello")
        yield Done(AssistantMessage((Text("Hello"),)))

    events = await events_of(again)
    assert texts(events) == ("Hello", "lost")


async def test_a_tag_held_back_in_one_block_comes_before_the_next() -> None:
    async def two(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        yield TextDelta(0, "a <th")
        yield TextDelta(1, "b <think>c</think>")
        yield Done(AssistantMessage((Text("a <th"), Text("b <think>c</think>"))))

    events = await events_of(two)
    done = events[-1]
    assert texts(events) == ("a <thb ", "c")
    assert isinstance(done, Done)
    assert done.message.content == (Text("a <th"), Thinking("c"), Text("b "))


def test_a_message_without_tags_is_the_same_object() -> None:
    message = AssistantMessage((Text("a < b"), Thinking("t")))
    assert message_split(message) is message
