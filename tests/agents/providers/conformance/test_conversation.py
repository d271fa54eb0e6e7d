"""Text, tools, images and reasoning, the same over every wire format."""

from __future__ import annotations

import pytest

from agents.core.messages import (
    AssistantMessage,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import Start
from agents.providers.common.prompt_cache import CACHE_BOUNDARY
from tests.agents.providers.conformance.vendors import CHECKERS
from tests.agents.providers.harness import Harness

pytestmark = pytest.mark.exhaustive

PIXEL = "iVBORw0KGgoAAAANSUhEUg=="
PICTURE = Image(PIXEL, "image/png")


def answered(message: AssistantMessage, *texts: str) -> list[ToolResultMessage]:
    return [
        ToolResultMessage(call.id, call.name, (Text(text),))
        for call, text in zip(message.tool_calls, texts, strict=True)
    ]


def sent(llm: Harness) -> str:
    """The last request, which must be one that the service takes."""
    body = llm.last_body()
    CHECKERS[llm.model.api](body)
    return str(body)


async def test_it_works(llm: Harness) -> None:
    outcome = await llm.call("[[echo:Hello you]]")
    assert outcome.done.text == "Hello you"
    assert outcome.streamed == "Hello you"
    assert isinstance(outcome.events[0], Start)
    assert outcome.done.stop_reason == "stop"
    named = (outcome.done.provider, outcome.done.api, outcome.done.model)
    assert named == ("fake", llm.model.api, "fake-1")
    sent(llm)


async def test_text_beyond_ascii(llm: Harness) -> None:
    outcome = await llm.call("[[echo:Grüße 日本 😀 \u200d.]]", system="Sei nett, „ja“?")
    assert outcome.done.text == "Grüße 日本 😀 \u200d."
    assert "Sei nett, „ja“?" in sent(llm)


async def test_system_prompt_arrives_without_the_cache_mark(llm: Harness) -> None:
    await llm.call("hi", system=f"Be kind.{CACHE_BOUNDARY}It is Monday.")
    text = sent(llm)
    assert "Be kind." in text
    assert "It is Monday." in text
    assert "cache-boundary" not in text


async def test_tools_are_described(llm: Harness) -> None:
    await llm.call("hi")
    text = sent(llm)
    for word in ("read", "Reads a file.", "write", "clock", "Tells the time.", "path"):
        assert word in text


async def test_tool_call_and_its_result(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a.txt"}]]')
    asked = await llm.call(question)
    (call,) = asked.calls
    assert (call.name, call.arguments) == ("read", {"path": "a.txt"})
    assert call.id
    assert asked.done.stop_reason == "toolUse"
    told = await llm.call(question, asked.done, *answered(asked.done, "forty-two"))
    assert told.done.text == "tool said: forty-two"
    sent(llm)


async def test_parallel_calls_keep_their_order(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a"}]] [[tool:write {"path": "b"}]] [[parallel]]')
    asked = await llm.call(question)
    assert [call.name for call in asked.calls] == ["read", "write"]
    assert len({call.id for call in asked.calls}) == 2
    told = await llm.call(question, asked.done, *answered(asked.done, "one", "two"))
    assert told.done.text == "tool said: two"
    sent(llm)


async def test_two_calls_of_one_tool(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a"}]] [[tool:read {"path": "b"}]] [[parallel]]')
    asked = await llm.call(question)
    assert [call.arguments for call in asked.calls] == [{"path": "a"}, {"path": "b"}]
    first, second = answered(asked.done, "one", "two")
    await llm.call(question, asked.done, second, first)
    text = sent(llm)
    assert text.index("'one'") < text.index("'two'")


async def test_call_without_arguments(llm: Harness) -> None:
    asked = await llm.call("[[tool:clock {}]]")
    assert [(call.name, call.arguments) for call in asked.calls] == [("clock", {})]


async def test_failed_tool_and_silent_tool(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a"}]] [[tool:clock {}]] [[parallel]]')
    asked = await llm.call(question)
    first, second = asked.done.tool_calls
    broken = ToolResultMessage(first.id, first.name, (Text("no such file"),), is_error=True)
    told = await llm.call(question, asked.done, broken, ToolResultMessage(second.id, "clock", ()))
    assert told.done.text
    text = sent(llm)
    assert "no such file" in text
    assert "(no output)" in text


async def test_image_of_the_user_arrives(llm: Harness) -> None:
    assert (await llm.call(UserMessage((Text("look"), PICTURE)))).done.text == "ok"
    assert PIXEL in sent(llm)
    assert (await llm.call(UserMessage((PICTURE,)))).done.text == "ok"
    assert PIXEL in sent(llm)


async def test_image_of_a_tool_arrives(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a.png"}]] [[final:seen]]')
    asked = await llm.call(question)
    result = ToolResultMessage(asked.calls[0].id, "read", (PICTURE,))
    assert (await llm.call(question, asked.done, result)).done.text == "seen"
    assert PIXEL in sent(llm)


async def test_model_without_eyes_is_told_of_the_image(llm: Harness) -> None:
    await llm.call(UserMessage((PICTURE, PICTURE)), model={"input": ("text",)})
    text = sent(llm)
    assert PIXEL not in text
    assert text.count("cannot see images") == 1


async def test_thinking_is_kept_apart(llm: Harness) -> None:
    question = UserMessage("[[think:First I ponder.]] [[echo:Done.]]")
    outcome = await llm.call(question, thinking="medium", model={"reasoning": True})
    assert outcome.thought == "First I ponder."
    assert outcome.done.text == "Done."
    (thought,) = (b for b in outcome.done.content if isinstance(b, Thinking))
    assert thought.thinking == "First I ponder."
    again = await llm.call(question, outcome.done, "and now?", model={"reasoning": True})
    assert again.done.text == "ok"
    assert "Done." in sent(llm)


async def test_thinking_before_a_call_goes_back_with_it(llm: Harness) -> None:
    question = UserMessage('[[think:I must read.]] [[tool:read {"path": "a"}]]')
    asked = await llm.call(question, thinking="low", model={"reasoning": True})
    assert asked.thought == "I must read."
    told = await llm.call(
        question, asked.done, *answered(asked.done, "r"), model={"reasoning": True}
    )
    assert told.done.text == "tool said: r"
    assert "I must read." in sent(llm)


async def test_lone_surrogates_never_reach_the_service(llm: Harness) -> None:
    call = ToolCall("call_1", "read", {"path": "a\ud83d"})
    said = AssistantMessage((Text("half \ud83d"), call), stop_reason="toolUse")
    result = ToolResultMessage("call_1", "read", (Text("\ude00 half"),))
    outcome = await llm.call("one \udfff", said, result, system="sys \ud800")
    assert outcome.done.text == "ok"
    sent(llm).encode()


async def test_characters_cut_in_two_deltas_are_joined(llm: Harness) -> None:
    outcome = await llm.call("[[odd:text_surrogates]]")
    assert outcome.done.text == "ok 😀 then"
    assert outcome.streamed == "ok 😀 then"


async def test_failed_answer_is_replayed_as_the_text_that_was_shown(llm: Harness) -> None:
    call = ToolCall("call_9", "read", {"path": "never"})
    broken = AssistantMessage((Text("I was going to"), call), stop_reason="error")
    await llm.call("one", broken, "two")
    text = sent(llm)
    assert "I was going to" in text
    assert "never" not in text
