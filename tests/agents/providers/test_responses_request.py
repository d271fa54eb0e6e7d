"""What a Responses request looks like, and how a transcript becomes input items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.body import json_encode
from agents.providers.common.prompt_cache import CACHE_BOUNDARY
from agents.providers.common.replay import thinking_stripped
from agents.providers.openai_responses.effort import effort_for
from agents.providers.openai_responses.items import input_encode
from agents.providers.openai_responses.request import body_build, headers_build
from agents.providers.openai_responses.signatures import reasoning_sign
from tests.agents.providers.harness import TOOLS

MODEL = ModelInfo(
    provider="openai", id="gpt-6-sol", api="openai-responses", reasoning=True, max_tokens=64_000
)
# The vendor's own idea of a request, held against what is built.
PARAMS: TypeAdapter[Any] = TypeAdapter(ResponseCreateParamsNonStreaming)
ITEM = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"}
THOUGHT = Thinking("Hm.", reasoning_sign(ITEM))
CALL = ToolCall("call_1|fc_1", "read", {"path": "a"})
RESULT = ToolResultMessage("call_1|fc_1", "read", (Text("forty-two"),))


def _own(*blocks: AssistantBlock, **values: Any) -> AssistantMessage:
    facts: dict[str, Any] = {"provider": "openai", "api": MODEL.api, "model": MODEL.id}
    return AssistantMessage(tuple(blocks), **{**facts, **values})


def _items(*messages: Message) -> list[dict[str, Any]]:
    return input_encode([UserMessage("hi"), *messages], MODEL)[1:]


def _body(**values: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"model": MODEL, "messages": (UserMessage("hi"),)}
    return body_build(ModelRequest(**{**base, **values}))


def test_it_works() -> None:
    system = f"Be kind.{CACHE_BOUNDARY}It is Monday."
    body = _body(tools=TOOLS[:1], thinking="high", session_id="s-1", system=system)
    assert body == {
        "model": "gpt-6-sol",
        "instructions": "Be kind.\n\nIt is Monday.",
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "hi"}],
            }
        ],
        "max_output_tokens": 32_000,
        "store": False,
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Reads a file.",
                "parameters": TOOLS[0].parameters,
                "strict": False,
            }
        ],
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
        "prompt_cache_key": "s-1",
    }


def test_settings_reach_the_body() -> None:
    params = {"serviceTier": "flex", "parallelToolCalls": False, "extraBody": {"user": "u"}}
    body = _body(model=replace(MODEL, params=params), max_tokens=100, temperature=0.5)
    assert body["service_tier"] == "flex"
    assert body["parallel_tool_calls"] is False
    assert (body["max_output_tokens"], body["temperature"], body["user"]) == (100, 0.5, "u")
    assert _body(max_tokens=1)["max_output_tokens"] == 16
    assert "reasoning" not in _body(model=replace(MODEL, reasoning=False), thinking="high")


@pytest.mark.parametrize(
    ("retention", "url", "found"),
    [
        ("none", "", {}),
        ("short", "", {"prompt_cache_key": "s"}),
        ("long", "", {"prompt_cache_key": "s", "prompt_cache_retention": "24h"}),
        ("long", "http://10.0.0.1/v1", {"prompt_cache_key": "s"}),
    ],
)
def test_cache_retention(retention: str, url: str, found: dict[str, str]) -> None:
    model = replace(MODEL, params={"cacheRetention": retention}, base_url=url)
    body = _body(model=model, session_id="s")
    assert {key: value for key, value in body.items() if key.startswith("prompt_cache")} == found
    headers = headers_build(ModelRequest(model, (), session_id="s"))
    assert ("session_id" in headers) is (retention != "none")


@pytest.mark.parametrize(
    ("model_id", "level", "effort"),
    [
        ("gpt-6-sol", "off", "none"),
        ("gpt-6-sol", "max", "max"),
        ("gpt-6-sol", "adaptive", "medium"),
        ("gpt-5", "off", "minimal"),
        ("gpt-5-mini", "xhigh", "high"),
        ("gpt-5.2", "xhigh", "xhigh"),
        ("gpt-5.1-codex", "off", "low"),
        ("o4-mini", "minimal", "low"),
        ("openai/o3", "off", "low"),
        ("somebody-elses", "minimal", "minimal"),
    ],
)
def test_effort_by_level_and_model(model_id: str, level: Any, effort: str) -> None:
    assert effort_for(ModelRequest(replace(MODEL, id=model_id), (), thinking=level)) == effort


def test_effort_as_the_settings_say() -> None:
    model = replace(MODEL, compat={"reasoningEfforts": {"off": "", "high": "deep"}})
    assert "reasoning" not in _body(model=model, thinking="off")
    assert _body(model=model, thinking="high")["reasoning"]["effort"] == "deep"


def test_reasoning_goes_back_whole_with_the_ids_of_what_followed() -> None:
    said = Text("Look:", '{"id":"msg_1","phase":"commentary"}')
    reasoning, message, call, output = _items(_own(THOUGHT, said, CALL), RESULT)
    assert reasoning == ITEM
    assert (message["id"], message["phase"]) == ("msg_1", "commentary")
    assert message["content"][0]["text"] == "Look:"
    assert (call["id"], call["call_id"]) == ("fc_1", "call_1")
    assert output == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "forty-two",
    }


def test_reasoning_with_nothing_after_it_is_left_out() -> None:
    items = _items(_own(Text("Yes."), THOUGHT), UserMessage("go on"))
    assert [item["type"] for item in items] == ["message", "message"]


@pytest.mark.parametrize(
    "message",
    [
        _own(CALL),
        _own(Thinking("Hm.", "reasoning_content"), CALL),
        _own(THOUGHT, CALL, model="another"),
        _own(THOUGHT, CALL, api="openai-completions"),
    ],
)
def test_ids_of_items_stay_behind_without_their_reasoning(message: AssistantMessage) -> None:
    *_, call, output = _items(message, RESULT)
    assert "id" not in call
    assert call["call_id"] == output["call_id"] == "call_1"


def test_message_without_its_reasoning_has_no_id() -> None:
    said = Text("Yes.", '{"id":"msg_1","phase":"final_answer"}')
    message = _items(_own(said), UserMessage("go on"))[0]
    assert message == {
        "type": "message",
        "role": "assistant",
        "content": "Yes.",
        "phase": "final_answer",
    }


def test_dropped_thinking_takes_the_ids_with_it() -> None:
    call, output = _items(*thinking_stripped([_own(THOUGHT, CALL), RESULT]))
    assert "id" not in call
    assert call["call_id"] == output["call_id"]


@pytest.mark.parametrize("original", ["toolu_01|x", "functions.read:0", "a b", "x" * 90, "|fc_1"])
def test_foreign_ids_are_made_fit_and_keep_their_result(original: str) -> None:
    call, output = _items(
        AssistantMessage((ToolCall(original, "read"),), provider="p", api="a", model="m"),
        ToolResultMessage(original, "read", (Text("x"),)),
    )
    assert call["call_id"] == output["call_id"]
    assert 0 < len(call["call_id"]) <= 64
    assert call["call_id"].replace("_", "").replace("-", "").isalnum()


def test_two_calls_with_one_id_are_told_apart() -> None:
    calls = (ToolCall("call_1|fc_1", "read"), ToolCall("call_1|fc_2", "write"))
    results = [ToolResultMessage(c.id, c.name, (Text(c.name),)) for c in calls]
    first, second, *outputs = _items(_own(*calls), *results)
    assert first["call_id"] != second["call_id"]
    assert [(o["call_id"], o["output"]) for o in outputs] == [
        (first["call_id"], "read"),
        (second["call_id"], "write"),
    ]


def test_an_item_that_is_there_twice_goes_back_once() -> None:
    items = _items(_own(THOUGHT, CALL), RESULT, _own(THOUGHT, CALL), RESULT)
    assert [item["type"] for item in items].count("reasoning") == 1
    assert [item["id"] for item in items if "id" in item] == ["rs_1", "fc_1"]
    called = [item["call_id"] for item in items if item["type"] == "function_call"]
    assert len(set(called)) == 2


TEXTS = st.text(max_size=8)
SIGNATURES = st.none() | st.sampled_from([THOUGHT.signature, "c2ln", "{", "{}", "[1]"]) | TEXTS
BLOCKS: st.SearchStrategy[AssistantBlock] = st.one_of(
    st.builds(Text, TEXTS, SIGNATURES),
    st.builds(Thinking, TEXTS, SIGNATURES, st.booleans()),
    st.builds(
        ToolCall, st.sampled_from(["call_1|fc_1", "call_1", "|", "é|é"]) | TEXTS, st.just("read")
    ),
)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(UserMessage, TEXTS),
    st.lists(BLOCKS, max_size=4).map(lambda blocks: _own(*blocks)),
    st.builds(ToolResultMessage, TEXTS, st.just("read"), st.just((Text("x"),))),
    st.just(RESULT),
)


@given(st.lists(MESSAGES, max_size=8))
def test_any_history_gives_a_request_of_the_vendors_type(messages: list[Message]) -> None:
    body = _body(messages=messages, tools=TOOLS)
    PARAMS.validate_json(json_encode(body))
    called = [item["call_id"] for item in body["input"] if item["type"] == "function_call"]
    told = [item["call_id"] for item in body["input"] if item["type"] == "function_call_output"]
    assert sorted(called) == sorted(told)
    assert len(set(called)) == len(called)
    item_ids = [item["id"] for item in body["input"] if "id" in item]
    assert len(set(item_ids)) == len(item_ids)
    for item, following in zip(body["input"], [*body["input"][1:], None], strict=True):
        if item["type"] == "reasoning":
            assert following is not None
            assert following.get("role") != "user"
