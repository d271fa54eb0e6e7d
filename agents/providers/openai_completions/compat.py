"""What a Chat Completions service understands.

The flags have the reference's names and can be set per model in `ModelInfo.compat`; what is not
set follows from the base URL. A service that is not known gets the cautious form: `max_tokens`,
the role `system`, no `store`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from agents.core.model import ModelInfo

ThinkingFormat = Literal["openai", "openrouter", "deepseek", "zai", "qwen", "qwen-chat-template"]

DEFAULT_BASE_URL = "https://api.openai.com/v1"
# Copilot's address follows from its token; what it understands does not depend on it.
_DEFAULT_HOSTS = {"github-copilot": "api.githubcopilot.com"}


@dataclass(frozen=True, slots=True)
class Compat:
    """One service's abilities and demands. Names are the reference's, in snake case."""

    supports_store: bool = False
    supports_developer_role: bool = False
    supports_reasoning_effort: bool = True
    supports_usage_in_streaming: bool = True
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    requires_tool_result_name: bool = False
    requires_assistant_after_tool_result: bool = False
    requires_thinking_as_text: bool = False
    requires_reasoning_content_on_assistant_messages: bool = False
    thinking_format: ThinkingFormat = "openai"
    supports_strict_mode: bool = True
    cache_control_format: Literal["", "anthropic"] = ""
    send_session_affinity_headers: bool = False
    supports_long_cache_retention: bool = False
    open_router_routing: Mapping[str, Any] = field(default_factory=dict)
    vercel_gateway_routing: Mapping[str, Any] = field(default_factory=dict)
    zai_tool_stream: bool = False
    # Not in the reference: nine-character call ids, and whether a lost call is worth asking again.
    requires_mistral_tool_ids: bool = False
    may_lose_calls: bool = True


_OPENAI: dict[str, Any] = {
    "supports_store": True,
    "supports_developer_role": True,
    "max_tokens_field": "max_completion_tokens",
    "supports_long_cache_retention": True,
    "may_lose_calls": False,
}

# By the end of the host name.
_HOSTS: dict[str, dict[str, Any]] = {
    "api.openai.com": _OPENAI,
    "openai.azure.com": {**_OPENAI, "supports_store": False},
    "githubcopilot.com": {"supports_reasoning_effort": False, "supports_strict_mode": False},
    "openrouter.ai": {"thinking_format": "openrouter"},
    "deepseek.com": {
        "thinking_format": "deepseek",
        "requires_reasoning_content_on_assistant_messages": True,
    },
    "z.ai": {"thinking_format": "zai", "supports_reasoning_effort": False},
    "bigmodel.cn": {"thinking_format": "zai", "supports_reasoning_effort": False},
    "aliyuncs.com": {"thinking_format": "qwen"},
    "x.ai": {"supports_reasoning_effort": False},
    "moonshot.ai": {"supports_strict_mode": False},
    "moonshot.cn": {"supports_strict_mode": False},
    "together.xyz": {"supports_strict_mode": False},
    "mistral.ai": {
        "requires_tool_result_name": True,
        "requires_thinking_as_text": True,
        "requires_mistral_tool_ids": True,
        "supports_reasoning_effort": False,
    },
}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


_FIELDS = {_camel(item.name): item.name for item in fields(Compat)}
_HINTS = get_type_hints(Compat)


def compat_demands(compat: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What each wrong value in `compat` should have been: its choices, ("true", "false"), or ()
    for an object. Keys that are no flag of this format are left alone: others have their own.
    """
    wrong: dict[str, tuple[str, ...]] = {}
    for key, value in compat.items():
        if key not in _FIELDS:
            continue
        hint = _HINTS[_FIELDS[key]]
        if hint is bool:
            if not isinstance(value, bool):
                wrong[key] = ("true", "false")
        elif get_origin(hint) is Literal:
            if value not in get_args(hint):
                wrong[key] = tuple(filter(None, get_args(hint)))
        elif not isinstance(value, Mapping):
            wrong[key] = ()
    return wrong


def base_url(model: ModelInfo) -> str:
    """The model's base URL, OpenAI's own when it has none."""
    return model.base_url or DEFAULT_BASE_URL


def compat_for(model: ModelInfo) -> Compat:
    """The flags of `model`: by its host, then as its settings say; unknown ones are ignored."""
    values: dict[str, Any] = {}
    host = _DEFAULT_HOSTS.get(model.api) or urlsplit(base_url(model)).hostname or ""
    for suffix, known in _HOSTS.items():
        if host == suffix or host.endswith(f".{suffix}"):
            values |= known
    if host.endswith("openrouter.ai") and model.id.startswith("anthropic/"):
        values["cache_control_format"] = "anthropic"
    values |= {_FIELDS[name]: value for name, value in model.compat.items() if name in _FIELDS}
    return Compat(**values)
