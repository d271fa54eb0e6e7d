"""The body of a Messages request."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from agents.core.model import ModelInfo, ModelRequest
from agents.providers.anthropic_messages.messages import messages_encode
from agents.providers.anthropic_messages.thinking import ThinkingPlan, thinking_plan
from agents.providers.common.params import cache_retention, extra_body, param, temperature
from agents.providers.common.prompt_cache import system_parts
from agents.providers.common.schemas import tools_normalised

DEFAULT_BASE_URL = "https://api.anthropic.com"
# What the vendor's library sends beside a token of a sign-in.
OAUTH_BETA = "oauth-2025-04-20"

# Settings that have the same name in the request, as written in the settings and as sent.
_PASSED = {
    "topP": "top_p",
    "topK": "top_k",
    "stopSequences": "stop_sequences",
    "toolChoice": "tool_choice",
    "serviceTier": "service_tier",
    "metadata": "metadata",
}


def base_url(model: ModelInfo) -> str:
    """The base URL without the /v1 that some write and the library adds itself."""
    return (model.base_url or DEFAULT_BASE_URL).rstrip("/").removesuffix("/v1")


def body_build(request: ModelRequest) -> dict[str, Any]:
    """The whole body, plain dicts and lists."""
    plan = thinking_plan(request)
    mark = _cache_mark(request)
    body: dict[str, Any] = {
        "model": request.model.id,
        "max_tokens": plan.max_tokens,
        "stream": True,
        "messages": _messages(request, mark),
        **plan.fields,
    }
    if request.system:
        body["system"] = _system(request.system, mark)
    if request.tools:
        body["tools"] = _tools(request, mark)
    # The service refuses a temperature together with thinking.
    if (heat := temperature(request)) is not None and not plan.is_on:
        body["temperature"] = heat
    for name, wire in _PASSED.items():
        if (value := param(request, name, wire)) is not None:
            body[wire] = value
    return body | extra_body(request)


def headers_build(request: ModelRequest) -> dict[str, str]:
    """The model's own headers, and the betas that old models need to think between tool calls and
    that the service needs to take a token of a sign-in.
    """
    headers = dict(request.model.headers)
    plan: ThinkingPlan = thinking_plan(request)
    betas = [headers.get("anthropic-beta", ""), plan.beta if request.tools else ""]
    if request.model.compat.get("credential") in ("oauth", "token"):
        betas.append(OAUTH_BETA)
    if found := ",".join(filter(None, betas)):
        headers["anthropic-beta"] = found
    return headers


def _cache_mark(request: ModelRequest) -> dict[str, Any]:
    retention = cache_retention(request)
    if retention == "none":
        return {}
    control = {"type": "ephemeral"}
    host = urlsplit(base_url(request.model)).hostname or ""
    is_own = host.endswith("anthropic.com")
    if retention == "long" and request.model.compat.get("supportsLongCacheRetention", is_own):
        control["ttl"] = "1h"
    return {"cache_control": control}


def _system(system: str, mark: dict[str, Any]) -> list[dict[str, Any]]:
    """Only the stable part is marked: a mark behind changing text would never be read again."""
    stable, changing = system_parts(system)
    blocks = [{"type": "text", "text": stable, **mark}] if stable else []
    return [*blocks, {"type": "text", "text": changing}] if changing else blocks


def _tools(request: ModelRequest, mark: dict[str, Any]) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in tools_normalised(request.tools, request.model)
    ]
    tools[-1] |= mark
    return tools


def _messages(request: ModelRequest, mark: dict[str, Any]) -> list[dict[str, Any]]:
    messages = messages_encode(request.messages, request.model)
    last_user = next((m for m in reversed(messages) if m["role"] == "user"), None)
    if last_user is not None:
        last_user["content"][-1] |= mark
    return messages
