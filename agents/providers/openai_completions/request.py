"""The body of a Chat Completions request."""

from __future__ import annotations

from typing import Any

from agents.core.messages import AssistantMessage, ToolResultMessage
from agents.core.model import ModelRequest, ToolSchema
from agents.providers.common.params import (
    cache_retention,
    extra_body,
    max_tokens,
    param,
    temperature,
)
from agents.providers.common.prompt_cache import system_parts, system_text
from agents.providers.common.schemas import strict_ready, tools_normalised
from agents.providers.openai_completions.compat import Compat
from agents.providers.openai_completions.messages import messages_encode
from agents.providers.openai_completions.thinking import thinking_fields

# Settings that have the same name in the request, as written in the settings and as sent.
_PASSED = {
    "topP": "top_p",
    "seed": "seed",
    "stop": "stop",
    "toolChoice": "tool_choice",
    "parallelToolCalls": "parallel_tool_calls",
    "responseFormat": "response_format",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "serviceTier": "service_tier",
}


def body_build(request: ModelRequest, compat: Compat, *, stream: bool = True) -> dict[str, Any]:
    """The whole body, plain dicts and lists."""
    body: dict[str, Any] = {
        "model": request.model.id,
        "messages": [
            *_system(request, compat),
            *messages_encode(request.messages, request.model, compat),
        ],
        "stream": stream,
        compat.max_tokens_field: max_tokens(request),
    }
    if stream and compat.supports_usage_in_streaming:
        body["stream_options"] = {"include_usage": True}
    if compat.supports_store:
        body["store"] = False
    if (heat := temperature(request)) is not None:
        body["temperature"] = heat
    body |= _tools(request, compat) | thinking_fields(request, compat) | _cache(request, compat)
    body |= _routing(compat)
    for name, wire in _PASSED.items():
        if (value := param(request, name, wire)) is not None:
            body[wire] = value
    if compat.cache_control_format == "anthropic" and cache_retention(request) != "none":
        _mark_cache(body, request.system)
    return body | extra_body(request)


def _system(request: ModelRequest, compat: Compat) -> list[dict[str, Any]]:
    if not request.system:
        return []
    developer = compat.supports_developer_role and request.model.reasoning
    role = "developer" if developer else "system"
    return [{"role": role, "content": system_text(request.system)}]


def _tools(request: ModelRequest, compat: Compat) -> dict[str, Any]:
    if request.tools:
        tools = tools_normalised(request.tools, request.model)
        strict = strict_ready(tools)
        fields: dict[str, Any] = {"tools": [_tool(tool, compat, strict) for tool in tools]}
        if compat.zai_tool_stream:
            fields["tool_stream"] = True
        return fields
    # Proxies to other vendors refuse a history with calls unless tools are named, even none.
    used = any(
        isinstance(m, ToolResultMessage) or (isinstance(m, AssistantMessage) and m.tool_calls)
        for m in request.messages
    )
    return {"tools": []} if used else {}


def _tool(tool: ToolSchema, compat: Compat, strict: bool) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if compat.supports_strict_mode:
        function["strict"] = strict
    return {"type": "function", "function": function}


def _cache(request: ModelRequest, compat: Compat) -> dict[str, Any]:
    """Prompt caching by session; only OpenAI itself is known to take these fields."""
    retention = cache_retention(request)
    if not request.session_id or retention == "none" or not compat.supports_long_cache_retention:
        return {}
    fields = {"prompt_cache_key": request.session_id}
    if retention == "long":
        fields["prompt_cache_retention"] = "24h"
    return fields


def _routing(compat: Compat) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if compat.open_router_routing:
        fields["provider"] = compat.open_router_routing
    if compat.vercel_gateway_routing:
        fields["providerOptions"] = {"gateway": compat.vercel_gateway_routing}
    return fields


def _mark_cache(body: dict[str, Any], system: str) -> None:
    """Anthropic's cache marks: on the stable part of the system prompt, the last tool, the last
    text.
    """
    mark = {"cache_control": {"type": "ephemeral"}}
    if body.get("tools"):
        body["tools"][-1] |= mark
    messages = body["messages"]
    stable, changing = system_parts(system)
    if stable:
        rest = [{"type": "text", "text": changing}] if changing else []
        messages[0]["content"] = [{"type": "text", "text": stable, **mark}, *rest]
    spoken = [m for m in messages if m["role"] in ("user", "assistant") and m.get("content")]
    for message in spoken[-1:]:
        content = message["content"]
        if isinstance(content, str):
            message["content"] = [{"type": "text", "text": content, **mark}]
        elif content[-1]["type"] == "text":
            content[-1] |= mark


def headers_build(request: ModelRequest, compat: Compat) -> dict[str, str]:
    """The model's own headers, and those that keep a session on one machine of the service."""
    headers = dict(request.model.headers)
    if compat.send_session_affinity_headers and request.session_id:
        names = ("session_id", "x-client-request-id", "x-session-affinity")
        headers |= dict.fromkeys(names, request.session_id)
    return headers
