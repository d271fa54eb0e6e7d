"""Wrappers of model calls and how they are composed, against a real service."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from agents.core.abort import AbortSignal
from agents.core.messages import AssistantMessage, Text, Thinking, ToolCall, ToolResultMessage
from agents.core.model import ModelEvent, ModelRequest, StreamFn, TextDelta, ThinkingDelta
from agents.plugins.sinks import registry_sink
from agents.providers.wrappers.compose import (
    WrapperSettingsError,
    composed,
    wrapped,
    wrappers_for,
)
from agents.providers.wrappers.context import WrapperContext
from agents.providers.wrappers.registry import STREAM_WRAPPERS
from tests.agents.providers.harness import Harness, Outcome

CONTEXT = WrapperContext(agent="main", session_id="s-1", run_id="r-1")
SECRET_TEXT = "the content of it all"


async def call(llm: Harness, wrappers: list[Any], *messages: Any, **values: Any) -> Outcome:
    """One call through these wrappers."""
    stream = composed(llm.pool.stream, CONTEXT)
    request = llm.request(*messages, model={"params": {"wrappers": wrappers}}, **values)
    return Outcome([event async for event in stream(request, AbortSignal())])


async def test_it_works(llm: Harness) -> None:
    entries = ["request_log", {"name": "headers", "headers": {"x-team": "blue"}}, "cache_trace"]
    outcome = await call(llm, entries, "[[echo:Hello you]]")
    assert outcome.done.text == outcome.streamed == "Hello you"
    assert llm.server.requests()[-1]["headers"]["x-team"] == "blue"


async def test_without_settings_only_tags_are_looked_for(llm: Harness) -> None:
    assert wrappers_for(llm.model) == ["think_tags"]
    outcome = await call(llm, [], "[[echo:<think>Hm.</think>Yes.]]")
    assert outcome.done.text == "Yes."
    assert outcome.thought == "Hm."


async def test_the_first_is_the_outermost(llm: Harness) -> None:
    first = {"name": "headers", "headers": {"x-a": "first", "x-b": "first"}}
    second = {"name": "headers", "headers": {"x-a": "second"}}
    await call(llm, [first, second], "hi")
    sent = llm.server.requests()[-1]["headers"]
    assert (sent["x-a"], sent["x-b"]) == ("second", "first")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("request_lock", "request_log"),
        (7, "is none of"),
        ({"name": "headers", "headers": {"x team": "blue"}}, "x team"),
        ({"name": "headers", "headers": ["x"]}, "must be an object"),
        ({"name": "extra_params", "body": 3}, "body must be an object"),
        ({"name": "drop_thinking", "shown": "yes"}, "shown must be true or false"),
    ],
)
async def test_wrong_settings_are_named_and_nothing_is_sent(
    llm: Harness, entry: Any, words: str
) -> None:
    error = (await call(llm, [entry], "hi")).error
    assert error.reason == "format"
    assert words in error.message
    assert llm.server.stats().get("requests", 0) == 0
    with pytest.raises(WrapperSettingsError, match="wrappers"):
        wrapped(llm.pool.stream, [entry], CONTEXT)


async def test_extra_params_reach_the_body(openai_model: Harness) -> None:
    entry = {"name": "extra_params", "params": {"topP": 0.5}, "body": {"num_ctx": 4096}}
    await call(openai_model, [entry], "hi", extra={"seed": 3})
    body = openai_model.last_body()
    assert (body["top_p"], body["num_ctx"], body["seed"]) == (0.5, 4096, 3)
    await call(openai_model, [entry], "hi", extra={"topP": 0.9, "extraBody": {"user": "u"}})
    body = openai_model.last_body()
    assert (body["top_p"], body["num_ctx"], body["user"]) == (0.9, 4096, "u")


async def test_header_marks_are_filled_and_cannot_break_out(llm: Harness) -> None:
    entry = {"name": "headers", "headers": {"x-who": "{agent}/{session}/{run}/{model}\r\nx: y"}}
    await call(llm, [entry], "hi")
    sent = llm.server.requests()[-1]["headers"]
    assert sent["x-who"] == "main/s-1/r-1/fake/fake-1x: y"
    assert "x" not in sent


async def test_log_line_has_sizes_and_no_content(llm: Harness) -> None:
    with capture_logs() as lines:
        await call(llm, ["request_log"], f"[[echo:{SECRET_TEXT}]]", system=SECRET_TEXT)
    (line,) = [line for line in lines if line["event"] == "model_request"]
    assert line["model"] == "fake/fake-1"
    assert (line["messages"], line["tools"], line["outcome"]) == (1, 3, "stop")
    assert line["system_chars"] == len(SECRET_TEXT)
    assert line["output_tokens"] > 0
    assert line["total_ms"] >= line["first_event_ms"] >= 0
    assert SECRET_TEXT not in str(line)
    assert "sk-test" not in str(line)


async def test_log_line_with_payload_when_asked_for(llm: Harness) -> None:
    with capture_logs() as lines:
        await call(
            llm, [{"name": "request_log", "logPayload": True}], "[[echo:said]]", system="Be kind."
        )
    (line,) = [line for line in lines if line["event"] == "model_request"]
    assert line["system"] == "Be kind."
    assert line["sent"][0]["content"] == "[[echo:said]]"
    assert line["received"]["content"][0]["text"] == "said"
    assert "sk-test" not in str(line)


async def test_log_line_of_a_failure_and_of_an_abandoned_call(llm: Harness) -> None:
    with capture_logs() as lines:
        await call(llm, ["request_log"], "[[status:429]]")
        stream = composed(llm.pool.stream, CONTEXT)
        request = llm.request("[[tokens:9]]", model={"params": {"wrappers": ["request_log"]}})
        events: Any = stream(request, AbortSignal())
        async for event in events:
            if isinstance(event, TextDelta):
                break
        await events.aclose()
    failed, left = [line for line in lines if line["event"] == "model_request"]
    assert (failed["outcome"], failed["reason"], failed["http_status"]) == (
        "error",
        "rate_limit",
        429,
    )
    assert left["outcome"] == "abandoned"


async def test_reasoning_of_earlier_turns_is_dropped(llm: Harness) -> None:
    def answer(thought: str, *rest: Any, stop: Any = "stop") -> AssistantMessage:
        own = {"provider": "fake", "api": llm.model.api, "model": "fake-1", "stop_reason": stop}
        # A signature of the kind that each format keeps.
        chat = ("openai-completions", "github-copilot")
        signed = "reasoning_content" if llm.model.api in chat else "c2ln"
        return AssistantMessage((Thinking(thought, signed), *rest), **own)

    history = [
        "one",
        answer("old thoughts", Text("Answer.")),
        "two",
        answer("new thoughts", ToolCall("call_1", "clock"), stop="toolUse"),
        ToolResultMessage("call_1", "clock", (Text("noon"),)),
    ]
    await call(llm, [], *history)
    assert "old thoughts" in str(llm.last_body())
    await call(llm, ["drop_thinking"], *history)
    assert "old thoughts" not in str(llm.last_body())
    assert "new thoughts" in str(llm.last_body())


async def test_reasoning_is_not_shown_but_kept(llm: Harness) -> None:
    entry = {"name": "drop_thinking", "history": False, "shown": True}
    outcome = await call(llm, [entry], "[[think:Hm.]] [[echo:Yes.]]")
    assert not [event for event in outcome.events if isinstance(event, ThinkingDelta)]
    assert outcome.done.text == outcome.streamed == "Yes."
    assert any(isinstance(block, Thinking) for block in outcome.done.content)


async def test_wrapper_of_a_plugin_acts_without_being_listed(llm: Harness) -> None:
    seen: list[str] = []

    def spy(stream: StreamFn, context: WrapperContext) -> StreamFn:
        async def run(request: ModelRequest, signal: AbortSignal) -> Any:
            event: ModelEvent
            async for event in stream(request, signal):
                seen.append(type(event).__name__)
                yield event

        return run

    undo = registry_sink(STREAM_WRAPPERS)("test", "spy", spy)
    try:
        assert wrappers_for(llm.model) == ["spy", "think_tags"]
        await call(llm, [], "hi")
        assert seen[0] == "Start"
        assert seen[-1] == "Done"
    finally:
        undo()
    assert wrappers_for(llm.model) == ["think_tags"]
