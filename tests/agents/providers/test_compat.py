"""Every flag of a Chat Completions service, as it arrives at the service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from agents.core.messages import (
    AssistantMessage,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.providers.common.prompt_cache import CACHE_BOUNDARY
from agents.providers.openai_completions.compat import Compat, compat_demands, compat_for
from tests.agents.providers.harness import Harness, model_for
from tests.model_server.fixture import ModelServer

Body = dict[str, Any]
CALL = ToolCall("call_1", "read", {"path": "a"})


def history(model_id: str = "fake-1") -> list[str | Message]:
    """A question, a thought and a call, its result, one more question."""
    thought = Thinking("hmm", "reasoning")
    asked = AssistantMessage(
        (thought, Text("Let me see."), CALL),
        api="openai-completions",
        provider="fake",
        model=model_id,
        stop_reason="toolUse",
    )
    result = ToolResultMessage("call_1", "read", (Text("r"),))
    return [UserMessage("hi"), asked, result, UserMessage("and now?")]


def message(body: Body, role: str) -> dict[str, Any]:
    """The last message of a role."""
    found: dict[str, Any] = [m for m in body["messages"] if m["role"] == role][-1]
    return found


def marked(body: Body) -> list[str]:
    """The texts with a cache mark."""
    parts = [
        part
        for m in body["messages"]
        if isinstance(m.get("content"), list)
        for part in m["content"]
    ]
    return [part["text"] for part in parts if "cache_control" in part]


# Flag → (a value, what the body says with it, what it says with the other).
CASES: dict[str, tuple[Any, Callable[[Body], Any], Any, Any]] = {
    "supportsStore": (True, lambda b: b.get("store"), False, None),
    "supportsDeveloperRole": (True, lambda b: b["messages"][0]["role"], "developer", "system"),
    "supportsReasoningEffort": (False, lambda b: b.get("reasoning_effort"), None, "low"),
    "supportsUsageInStreaming": (
        False,
        lambda b: b.get("stream_options"),
        None,
        {"include_usage": True},
    ),
    "maxTokensField": (
        "max_completion_tokens",
        lambda b: ("max_completion_tokens" in b, "max_tokens" in b),
        (True, False),
        (False, True),
    ),
    "requiresToolResultName": (True, lambda b: message(b, "tool").get("name"), "read", None),
    "requiresAssistantAfterToolResult": (
        True,
        lambda b: [m["role"] for m in b["messages"]][-2:],
        ["assistant", "user"],
        ["tool", "user"],
    ),
    "requiresThinkingAsText": (
        True,
        lambda b: message(b, "assistant")["content"],
        "hmm\n\nLet me see.",
        "Let me see.",
    ),
    "requiresReasoningContentOnAssistantMessages": (
        True,
        lambda b: message(b, "assistant").get("reasoning_content"),
        "hmm",
        None,
    ),
    "supportsStrictMode": (
        False,
        lambda b: "strict" in b["tools"][0]["function"],
        False,
        True,
    ),
    "cacheControlFormat": ("anthropic", marked, ["Be kind.", "and now?"], []),
    "supportsLongCacheRetention": (True, lambda b: b.get("prompt_cache_key"), "s1", None),
    "openRouterRouting": (
        {"order": ["anthropic"], "allow_fallbacks": False},
        lambda b: b.get("provider"),
        {"order": ["anthropic"], "allow_fallbacks": False},
        None,
    ),
    "vercelGatewayRouting": (
        {"only": ["bedrock"]},
        lambda b: b.get("providerOptions"),
        {"gateway": {"only": ["bedrock"]}},
        None,
    ),
    "zaiToolStream": (True, lambda b: b.get("tool_stream"), True, None),
    "requiresMistralToolIds": (
        True,
        lambda b: len(message(b, "tool")["tool_call_id"]),
        9,
        len("call_1"),
    ),
    "thinkingFormat": ("zai", lambda b: b.get("enable_thinking"), True, None),
}
# These show in headers and in how often is asked; each has a test of its own.
ELSEWHERE = {"sendSessionAffinityHeaders", "mayLoseCalls"}


@pytest.fixture
def chat(openai_model: Harness) -> Harness:
    return openai_model


async def sent(chat: Harness, compat: dict[str, Any], **values: Any) -> Body:
    given = {"session_id": "s1", "thinking": "low", "system": f"Be kind.{CACHE_BOUNDARY}Monday."}
    model = {"compat": compat, "reasoning": True, **values.pop("model", {})}
    outcome = await chat.call(*history(), model=model, **{**given, **values})
    assert outcome.done.text == "ok"
    return chat.last_body()


def test_it_works() -> None:
    """No flag is left out here."""
    names = {
        "".join(
            word if index == 0 else word.capitalize()
            for index, word in enumerate(item.name.split("_"))
        )
        for item in fields(Compat)
    }
    assert names == set(CASES) | ELSEWHERE


@pytest.mark.parametrize("flag", CASES)
async def test_flag(chat: Harness, flag: str) -> None:
    value, look, with_it, without = CASES[flag]
    assert look(await sent(chat, {flag: value})) == with_it
    assert look(await sent(chat, {})) == without


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
async def test_thinking_formats(
    chat: Harness, fmt: str, on: dict[str, Any], off: dict[str, Any]
) -> None:
    names = {"reasoning_effort", "reasoning", "thinking", "enable_thinking", "chat_template_kwargs"}
    for level, expected in (("low", on), ("off", off)):
        body = await sent(chat, {"thinkingFormat": fmt}, thinking=level)
        assert {name: body[name] for name in names & set(body)} == expected


async def test_a_model_that_always_thinks_is_never_told_not_to(chat: Harness) -> None:
    compat = {"thinkingFormat": "openrouter", "alwaysThinking": True}
    body = await sent(chat, compat, thinking="off")
    assert body["reasoning"] == {"effort": "low"}


async def test_session_affinity_is_in_the_headers(chat: Harness) -> None:
    for wanted in (True, False):
        await sent(chat, {"sendSessionAffinityHeaders": wanted})
        headers = {key.lower(): v for key, v in chat.server.requests()[-1]["headers"].items()}
        assert (headers.get("x-session-affinity") == "s1") is wanted


async def test_a_call_that_streaming_loses(chat: Harness) -> None:
    """Asked once more without streaming; from then on at once without, for that model alone."""
    question = '[[odd:lost_call]] [[tool:read {"path": "a"}]]'
    assert (await chat.call(question)).calls
    assert [r["body"]["stream"] for r in chat.server.requests()] == [True, False]
    assert (await chat.call(question)).calls
    assert [r["body"]["stream"] for r in chat.server.requests()][2:] == [False]
    await chat.call("hi", model={"id": "fake-2"})
    assert chat.last_body()["stream"] is True


async def test_a_service_that_never_loses_calls_is_not_asked_twice(chat: Harness) -> None:
    question = '[[odd:lost_call]] [[tool:read {"path": "a"}]]'
    outcome = await chat.call(question, model={"compat": {"mayLoseCalls": False}})
    assert len(chat.server.requests()) == 1
    assert outcome.message.tool_calls == ()


@pytest.mark.parametrize(
    ("url", "flag", "value"),
    [
        ("https://api.mistral.ai/v1", "requires_mistral_tool_ids", True),
        ("https://api.z.ai/api/paas/v4", "thinking_format", "zai"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "thinking_format", "qwen"),
        ("https://api.deepseek.com/v1", "thinking_format", "deepseek"),
        ("https://openrouter.ai/api/v1", "thinking_format", "openrouter"),
        ("https://api.moonshot.ai/v1", "supports_strict_mode", False),
        ("https://api.x.ai/v1", "supports_reasoning_effort", False),
        ("https://api.business.githubcopilot.com", "supports_strict_mode", False),
        ("https://me.openai.azure.com/openai/v1", "max_tokens_field", "max_completion_tokens"),
    ],
)
def test_flags_follow_from_the_address(
    model_server: ModelServer, url: str, flag: str, value: object
) -> None:
    model = replace(model_for(model_server, "openai-completions"), base_url=url)
    assert getattr(compat_for(model), flag) == value


def test_copilot_has_its_flags_without_an_address(model_server: ModelServer) -> None:
    compat = compat_for(model_for(model_server, "github-copilot"))
    assert (compat.supports_store, compat.supports_developer_role) == (False, False)


@pytest.mark.parametrize(
    ("compat", "demands"),
    [
        ({"supportsStore": "yes"}, {"supportsStore": ("true", "false")}),
        ({"maxTokensField": "max"}, {"maxTokensField": ("max_tokens", "max_completion_tokens")}),
        ({"cacheControlFormat": "openai"}, {"cacheControlFormat": ("anthropic",)}),
        ({"openRouterRouting": "fast"}, {"openRouterRouting": ()}),
        ({"alwaysThinking": 5, "supportsStore": True, "thinkingFormat": "zai"}, {}),
    ],
)
def test_wrong_values_are_told(compat: dict[str, Any], demands: dict[str, tuple[str, ...]]) -> None:
    assert compat_demands(compat) == demands
