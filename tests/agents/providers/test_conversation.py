"""Text, tools, images and reasoning, the same over both wire formats."""

from __future__ import annotations

from agents.core.messages import (
    AssistantMessage,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import Price, Start
from tests.agents.providers.harness import Harness

PIXEL = "iVBORw0KGgoAAAANSUhEUg=="


def _answered(message: AssistantMessage, *texts: str) -> list[ToolResultMessage]:
    return [
        ToolResultMessage(call.id, call.name, (Text(text),))
        for call, text in zip(message.tool_calls, texts, strict=True)
    ]


async def test_it_works(llm: Harness) -> None:
    outcome = await llm.call("[[echo:Hello you]]")
    assert outcome.done.content == (Text("Hello you"),)
    assert outcome.streamed == "Hello you"
    assert isinstance(outcome.events[0], Start)
    assert outcome.done.stop_reason == "stop"
    named = (outcome.done.provider, outcome.done.api, outcome.done.model)
    assert named == ("fake", llm.model.api, "fake-1")
    assert outcome.done.response_id


async def test_system_prompt_arrives_without_the_cache_mark(llm: Harness) -> None:
    from agents.providers.common.prompt_cache import CACHE_BOUNDARY

    await llm.call("hi", system=f"Be kind.{CACHE_BOUNDARY}It is Monday.")
    sent = str(llm.last_body())
    assert "Be kind." in sent
    assert "It is Monday." in sent
    assert "cache-boundary" not in sent


async def test_tool_call_and_its_result(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a.txt"}]]')
    asked = await llm.call(question)
    (call,) = asked.calls
    assert (call.name, call.arguments) == ("read", {"path": "a.txt"})
    assert asked.done.stop_reason == "toolUse"
    told = await llm.call(question, asked.done, *_answered(asked.done, "forty-two"))
    assert told.done.text == "tool said: forty-two"


async def test_parallel_calls_keep_their_order(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a"}]] [[tool:write {"path": "b"}]] [[parallel]]')
    asked = await llm.call(question)
    assert [call.name for call in asked.calls] == ["read", "write"]
    assert len({call.id for call in asked.calls}) == 2
    told = await llm.call(question, asked.done, *_answered(asked.done, "one", "two"))
    assert told.done.text == "tool said: two"


async def test_image_of_the_user_arrives(llm: Harness) -> None:
    picture = UserMessage((Text("look"), Image(PIXEL, "image/png")))
    assert (await llm.call(picture)).done.text == "ok"
    assert PIXEL in str(llm.last_body())


async def test_image_of_a_tool_arrives(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a.png"}]] [[final:seen]]')
    asked = await llm.call(question)
    result = ToolResultMessage(asked.calls[0].id, "read", (Image(PIXEL, "image/png"),))
    assert (await llm.call(question, asked.done, result)).done.text == "seen"
    assert PIXEL in str(llm.last_body())


async def test_model_without_eyes_is_told_of_the_image(llm: Harness) -> None:
    picture = UserMessage((Image(PIXEL, "image/png"), Image(PIXEL, "image/png")))
    await llm.call(picture, model={"input": ("text",)})
    sent = str(llm.last_body())
    assert PIXEL not in sent
    assert sent.count("cannot see images") == 1


async def test_thinking_is_kept_apart_and_replayed(llm: Harness) -> None:
    question = UserMessage("[[think:First I ponder.]] [[echo:Done.]]")
    outcome = await llm.call(question)
    assert outcome.thought == "First I ponder."
    thought, said = outcome.done.content
    assert isinstance(thought, Thinking)
    assert thought.signature
    assert said == Text("Done.")
    await llm.call(question, outcome.done, "and now?")
    assert "First I ponder." in str(llm.last_body())


async def test_other_models_get_thinking_as_text_without_signature(llm: Harness) -> None:
    foreign = AssistantMessage(
        (
            Thinking("I ponder.", "c2VjcmV0"),
            Thinking("", "cGF5bG9hZA==", redacted=True),
            Text("Yes."),
        ),
        provider="other",
        api="other",
        model="other",
    )
    await llm.call("well?", foreign, "go on")
    sent = str(llm.last_body()["messages"])
    assert "I ponder." in sent
    assert "c2VjcmV0" not in sent
    assert "cGF5bG9hZA" not in sent


async def test_lone_surrogates_never_reach_the_service(llm: Harness) -> None:
    call = ToolCall("call_1", "read", {"path": "a\ud83d"})
    said = AssistantMessage((Text("half \ud83d"), call), stop_reason="toolUse")
    result = ToolResultMessage("call_1", "read", (Text("\ude00 half"),))
    outcome = await llm.call("one \udfff", said, result, system="sys \ud800")
    assert outcome.done.text == "ok"
    assert "\ufffd" in str(llm.last_body())


async def test_cost_follows_from_the_price(llm: Harness) -> None:
    price = Price(input=2.0, output=10.0, known=True)
    outcome = await llm.call("[[usage:1000:500]]", model={"price": price})
    usage = outcome.done.usage
    assert (usage.input, usage.output, usage.estimated) == (1000, 500, False)
    assert usage.cost.total == 0.002 + 0.005
    free = await llm.call("[[usage:1000:500]]")
    assert free.done.usage.cost.total == 0


async def test_failed_answers_are_sent_without_their_calls(llm: Harness) -> None:
    call = ToolCall("call_9", "read", {"path": "a"})
    broken = AssistantMessage((Text("I was going to"), call), stop_reason="error")
    await llm.call("one", broken, "two")
    sent = str(llm.last_body()["messages"])
    assert "I was going to" in sent
    assert "call_9" not in sent


async def test_history_may_begin_with_the_assistant_and_end_with_it(llm: Harness) -> None:
    first, last = AssistantMessage((Text("Welcome."),)), AssistantMessage((Text("a prefill"),))
    await llm.call(first, "hi", last)
    roles = [m["role"] for m in llm.last_body()["messages"] if m["role"] != "system"]
    assert roles == ["user", "assistant", "user"]
