"""What a Messages service is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.anthropic_messages.request import base_url, body_build, headers_build
from agents.providers.common.prompt_cache import CACHE_BOUNDARY
from tests.agents.providers.harness import READ, TOOLS, Harness

CLAUDE = ModelInfo(
    provider="anthropic",
    id="claude-opus-4-6",
    api="anthropic-messages",
    reasoning=True,
    max_tokens=32_000,
    input=("text", "image"),
)
OLD = replace(CLAUDE, id="claude-opus-4-20250514")
MARK = {"cache_control": {"type": "ephemeral"}}


def body_of(*messages: Message, model: ModelInfo = CLAUDE, **values: Any) -> dict[str, Any]:
    body = body_build(ModelRequest(model, messages or (UserMessage("hi"),), **values))
    orjson.dumps(body)
    return body


def said(*content: Text | Thinking | ToolCall) -> AssistantMessage:
    return AssistantMessage(content, api=CLAUDE.api, provider="anthropic", model=CLAUDE.id)


def test_it_works() -> None:
    plain = replace(CLAUDE, reasoning=False)
    body = body_of(model=plain, system="Be kind.", tools=(READ,), temperature=0.5, max_tokens=9)
    tool = {"name": "read", "description": READ.description, "input_schema": READ.parameters}
    assert body == {
        "model": "claude-opus-4-6",
        "max_tokens": 9,
        "stream": True,
        "system": [{"type": "text", "text": "Be kind.", **MARK}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", **MARK}]}],
        "tools": [{**tool, **MARK}],
        "temperature": 0.5,
    }


def test_cache_marks() -> None:
    assert "cache_control" not in str(body_of(system="s", extra={"cacheRetention": "none"}))
    long = body_of(system="s", extra={"cacheRetention": "long"})
    assert long["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    elsewhere = replace(CLAUDE, base_url="http://127.0.0.1:1/anthropic")
    long = body_of(model=elsewhere, system="s", extra={"cacheRetention": "long"})
    assert long["system"][0]["cache_control"] == {"type": "ephemeral"}
    stable, changing = body_of(system=f"s{CACHE_BOUNDARY}c")["system"]
    assert (stable["text"], changing) == ("s", {"type": "text", "text": "c"})


def test_results_of_one_batch_share_a_message_with_what_was_said_next() -> None:
    calls = said(Text("look"), ToolCall("toolu_1", "read"), ToolCall("toolu_2", "read"))
    results = [
        ToolResultMessage("toolu_1", "read", (Text("r"), Image("AAAA", "image/png"))),
        ToolResultMessage("toolu_2", "read", (), is_error=True),
    ]
    _, asked, told = body_of(UserMessage("hi"), calls, *results, UserMessage("and"))["messages"]
    assert [block["type"] for block in asked["content"]] == ["text", "tool_use", "tool_use"]
    first, second, last = told["content"]
    assert [part["type"] for part in first["content"]] == ["text", "image"]
    assert "is_error" not in first
    assert second["is_error"] is True
    assert second["content"] == [{"type": "text", "text": "(no output)"}]
    assert last == {"type": "text", "text": "and", **MARK}


def test_reasoning_goes_back_only_signed_or_redacted() -> None:
    blocks = (Thinking("a", "sig"), Thinking("", "data", redacted=True), Thinking("b"), Text("c"))
    _, message, _ = body_of(UserMessage("hi"), said(*blocks), UserMessage("x"))["messages"]
    assert message["content"] == [
        {"type": "thinking", "thinking": "a", "signature": "sig"},
        {"type": "redacted_thinking", "data": "data"},
        {"type": "text", "text": "c"},
    ]


def test_blank_messages_are_left_out() -> None:
    messages = body_of(UserMessage(" "), UserMessage("hi"), said(Text("")), UserMessage(""))[
        "messages"
    ]
    assert messages == [{"role": "user", "content": [{"type": "text", "text": "hi", **MARK}]}]


@pytest.mark.parametrize(
    ("model_id", "level", "thinking", "effort"),
    [
        ("claude-opus-4-6", "high", "adaptive", "high"),
        ("claude-opus-4-6", "xhigh", "adaptive", "max"),
        ("claude-opus-4-7", "xhigh", "adaptive", "xhigh"),
        ("claude-sonnet-5", "minimal", "adaptive", "low"),
        ("claude-sonnet-4.6", "adaptive", "adaptive", None),
        ("claude-opus-4-6", "off", "disabled", None),
        ("claude-3-7-sonnet-20250219", "high", "enabled", None),
        ("claude-sonnet-4-5", "low", "enabled", None),
        ("claude-opus-4-20250514", "low", "enabled", None),
        ("some-other-model", "low", "enabled", None),
    ],
)
def test_thinking_by_model(model_id: str, level: Any, thinking: str, effort: str | None) -> None:
    body = body_of(model=replace(CLAUDE, id=model_id), thinking=level, temperature=1.0)
    assert body["thinking"]["type"] == thinking
    assert body.get("output_config") == ({"effort": effort} if effort else None)
    assert ("temperature" in body) is (level == "off")


def test_budget_comes_on_top_of_the_answer_as_far_as_the_model_allows() -> None:
    def numbers(limit: int, **values: Any) -> tuple[int, int | None]:
        body = body_of(model=replace(OLD, max_tokens=limit), **values)
        return body["max_tokens"], body["thinking"].get("budget_tokens")

    assert numbers(32_000, thinking="medium", max_tokens=4_000) == (12_192, 8_192)
    assert numbers(10_000, thinking="medium", max_tokens=4_000) == (10_000, 8_192)
    assert numbers(8_000, thinking="high") == (8_000, 6_976)
    assert numbers(1_500, thinking="high") == (1_500, None)


def test_adaptive_thinking_can_be_stated() -> None:
    model = replace(OLD, compat={"adaptiveThinking": True})
    assert body_of(model=model, thinking="low")["thinking"]["type"] == "adaptive"


def test_old_models_need_a_beta_to_think_between_calls() -> None:
    model = replace(OLD, headers={"anthropic-beta": "mine"})
    request = ModelRequest(model, (), thinking="low", tools=TOOLS)
    assert headers_build(request)["anthropic-beta"] == "mine,interleaved-thinking-2025-05-14"
    assert headers_build(replace(request, tools=()))["anthropic-beta"] == "mine"
    assert "anthropic-beta" not in headers_build(replace(request, model=CLAUDE))


def test_base_url_with_and_without_version() -> None:
    assert base_url(replace(CLAUDE, base_url="http://x/v1/")) == "http://x"
    assert base_url(CLAUDE) == "https://api.anthropic.com"


async def test_other_refusals_are_not_sent_again(anthropic_model: Harness) -> None:
    thought = AssistantMessage((Thinking("why", "sig-1"), Text("so")), provider="fake")
    outcome = await anthropic_model.call("hi", thought, "[[status:400:1]]")
    assert outcome.error.reason == "format"
    assert anthropic_model.server.stats()["requests"] == 1
