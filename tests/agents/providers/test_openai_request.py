"""What a Chat Completions service is sent, by the kind of service."""

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
from agents.providers.openai_completions.compat import compat_for
from agents.providers.openai_completions.request import body_build, headers_build
from tests.agents.providers.harness import READ, TOOLS

LOCAL = ModelInfo(
    provider="local",
    id="m",
    api="openai-completions",
    base_url="http://127.0.0.1:11434/v1",
    input=("text", "image"),
)
OPENAI = replace(LOCAL, provider="openai", base_url="https://api.openai.com/v1", reasoning=True)
CALL = ToolCall("call_1", "read", {"path": "a"})


def body_of(
    *messages: Message,
    model: ModelInfo = LOCAL,
    compat: dict[str, Any] | None = None,
    **values: Any,
) -> dict[str, Any]:
    model = replace(model, compat=compat or {})
    request = ModelRequest(model, messages or (UserMessage("hi"),), **values)
    body = body_build(request, compat_for(model))
    orjson.dumps(body)
    return body


def said(*content: Text | Thinking | ToolCall, model: ModelInfo = LOCAL) -> AssistantMessage:
    return AssistantMessage(content, api=model.api, provider=model.provider, model=model.id)


def test_it_works() -> None:
    body = body_of(system="Be kind.", max_tokens=100, temperature=0.5)
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "hi"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0.5,
    }


def test_openai_itself() -> None:
    body = body_of(model=OPENAI, system="s", session_id="s1", thinking="high")
    assert body["messages"][0]["role"] == "developer"
    assert body["store"] is False
    assert body["max_completion_tokens"] == OPENAI.max_tokens
    assert "max_tokens" not in body
    assert body["reasoning_effort"] == "high"
    assert body["prompt_cache_key"] == "s1"
    assert "prompt_cache_retention" not in body
    long = body_of(model=OPENAI, session_id="s1", extra={"cacheRetention": "long"})
    assert long["prompt_cache_retention"] == "24h"
    assert "prompt_cache_key" not in body_of(
        model=OPENAI, session_id="s1", extra={"cacheRetention": "none"}
    )


def test_cap_of_the_answer() -> None:
    assert body_of()["max_tokens"] == LOCAL.max_tokens
    assert body_of(model=replace(LOCAL, max_tokens=200_000))["max_tokens"] == 32_000
    assert body_of(max_tokens=999_999)["max_tokens"] == LOCAL.max_tokens


@pytest.mark.parametrize(
    ("fmt", "on", "off"),
    [
        ("openai", {"reasoning_effort": "low"}, {}),
        ("openrouter", {"reasoning": {"effort": "low"}}, {"reasoning": {"effort": "none"}}),
        (
            "deepseek",
            {"thinking": {"type": "enabled"}, "reasoning_effort": "low"},
            {"thinking": {"type": "disabled"}},
        ),
        ("zai", {"enable_thinking": True}, {"enable_thinking": False}),
        ("qwen", {"enable_thinking": True}, {"enable_thinking": False}),
        (
            "qwen-chat-template",
            {"chat_template_kwargs": {"enable_thinking": True}},
            {"chat_template_kwargs": {"enable_thinking": False}},
        ),
    ],
)
def test_thinking(fmt: str, on: dict[str, Any], off: dict[str, Any]) -> None:
    plain = body_of()
    model = replace(LOCAL, reasoning=True)
    for level, expected in (("low", on), ("off", off)):
        body = body_of(model=model, compat={"thinkingFormat": fmt}, thinking=level)
        assert {name: body[name] for name in body if name not in plain} == expected
    assert body_of(compat={"thinkingFormat": fmt}, thinking="low") == plain


@pytest.mark.parametrize(
    ("url", "flag", "value"),
    [
        ("https://openrouter.ai/api/v1", "thinking_format", "openrouter"),
        ("https://api.deepseek.com", "requires_reasoning_content_on_assistant_messages", True),
        ("https://api.z.ai/v4", "thinking_format", "zai"),
        ("https://api.mistral.ai/v1", "requires_mistral_tool_ids", True),
        ("https://api.openai.com/v1", "supports_store", True),
        ("", "supports_store", True),
        ("https://notopenai.com/v1", "supports_store", False),
        ("https://api.openai.com.example.org/v1", "supports_store", False),
    ],
)
def test_flags_follow_from_the_host(url: str, flag: str, value: object) -> None:
    assert getattr(compat_for(replace(LOCAL, base_url=url)), flag) == value


def test_flags_can_be_set_and_unknown_ones_do_no_harm() -> None:
    compat = compat_for(replace(OPENAI, compat={"supportsStore": False, "madeUp": 1}))
    assert compat.supports_store is False
    assert compat.supports_developer_role is True


def test_tools_and_their_results() -> None:
    result = ToolResultMessage("call_1", "read", (Text("r"),), details={"secret": 1})
    body = body_of(UserMessage("hi"), said(CALL), result, tools=(READ,))
    function = {"name": "read", "description": READ.description, "parameters": READ.parameters}
    assert body["tools"] == [{"type": "function", "function": {**function, "strict": False}}]
    called = {"name": "read", "arguments": '{"path":"a"}'}
    calls = [{"id": "call_1", "type": "function", "function": called}]
    assert body["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_1", "content": "r"},
    ]


def test_history_with_calls_names_tools_even_without_any() -> None:
    assert body_of(UserMessage("hi"), said(CALL))["tools"] == []
    assert "tools" not in body_of()


def test_images_of_tools_follow_as_the_users() -> None:
    results = [
        ToolResultMessage("call_1", "read", (Image("AAAA", "image/png"),)),
        ToolResultMessage("call_2", "read", ()),
    ]
    asked = said(CALL, ToolCall("call_2", "read"))
    *_, first, second, images = body_of(UserMessage("hi"), asked, *results)["messages"]
    assert first["content"] == "(see the images below)"
    assert second["content"] == "(no output)"
    assert images["role"] == "user"
    assert images["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"


def test_neighbours_are_merged() -> None:
    messages = body_of(
        UserMessage("one"),
        UserMessage((Text("two"),)),
        said(Text("a")),
        said(Text("b")),
        UserMessage("x"),
    )["messages"]
    assert [message["content"] for message in messages] == ["one\n\ntwo", "a\n\nb", "x"]


def test_reasoning_goes_back_in_the_field_it_came_in() -> None:
    thought = said(Thinking("why", "reasoning"), Text("so"))
    _, message, _ = body_of(UserMessage("hi"), thought, UserMessage("x"))["messages"]
    assert message == {"role": "assistant", "reasoning": "why", "content": "so"}
    as_text = {"requiresThinkingAsText": True}
    _, message, _ = body_of(UserMessage("hi"), thought, UserMessage("x"), compat=as_text)[
        "messages"
    ]
    assert message == {"role": "assistant", "content": "why\n\nso"}
    always = {"requiresReasoningContentOnAssistantMessages": True}
    plain = said(Text("so"))
    _, message, _ = body_of(UserMessage("hi"), plain, UserMessage("x"), compat=always)["messages"]
    assert message == {"role": "assistant", "reasoning_content": "", "content": "so"}


def test_demands_of_picky_services() -> None:
    flags = {
        "requiresToolResultName": True,
        "requiresAssistantAfterToolResult": True,
        "supportsStrictMode": False,
        "supportsUsageInStreaming": False,
        "maxTokensField": "max_completion_tokens",
        "zaiToolStream": True,
        "requiresMistralToolIds": True,
        "openRouterRouting": {"order": ["x"]},
        "vercelGatewayRouting": {"only": ["y"]},
    }
    result = ToolResultMessage("call_1", "read", (Text("r"),))
    body = body_of(
        UserMessage("hi"), said(CALL), result, UserMessage("x"), compat=flags, tools=TOOLS
    )
    _, asked, told, bridge, last = body["messages"]
    assert told["name"] == "read"
    assert len(asked["tool_calls"][0]["id"]) == 9
    assert told["tool_call_id"] == asked["tool_calls"][0]["id"]
    assert (bridge["role"], last["role"]) == ("assistant", "user")
    assert "strict" not in body["tools"][0]["function"]
    assert "stream_options" not in body
    assert "max_completion_tokens" in body
    assert body["tool_stream"] is True
    assert body["provider"] == {"order": ["x"]}
    assert body["providerOptions"] == {"gateway": {"only": ["y"]}}


def test_anthropic_models_behind_a_router_get_cache_marks() -> None:
    model = replace(LOCAL, id="anthropic/claude", base_url="https://openrouter.ai/api/v1")
    body = body_of(model=model, system="s", tools=TOOLS)
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body["messages"][0]["content"] == [{"type": "text", "text": "s", **mark}]
    assert body["messages"][-1]["content"][-1]["cache_control"] == mark["cache_control"]
    assert body["tools"][-1]["cache_control"] == mark["cache_control"]
    assert "cache_control" not in body["tools"][0]


def test_settings_pass_and_the_request_wins_over_the_model() -> None:
    model = replace(LOCAL, params={"topP": 0.5, "seed": 1, "extraBody": {"x": 1}})
    body = body_of(model=model, extra={"seed": 2, "tool_choice": "none"})
    assert (body["top_p"], body["seed"], body["x"], body["tool_choice"]) == (0.5, 2, 1, "none")


def test_headers() -> None:
    model = replace(LOCAL, headers={"x-a": "1"}, compat={"sendSessionAffinityHeaders": True})
    request = ModelRequest(model, (), session_id="s1")
    headers = headers_build(request, compat_for(model))
    assert headers["x-a"] == "1"
    assert headers["session_id"] == "s1"
