"""The body of a Responses request."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.params import (
    cache_retention,
    extra_body,
    max_tokens,
    param,
    temperature,
)
from agents.providers.common.prompt_cache import system_text
from agents.providers.common.schemas import strict_ready, tools_normalised
from agents.providers.openai_responses.effort import reasoning_fields
from agents.providers.openai_responses.items import input_encode

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_TRANSPORT = "sse"
# The service's own minimum.
_MIN_OUTPUT_TOKENS = 16
_MAX_CACHE_KEY = 64

# Settings that have the same name in the request, as written in the settings and as sent.
_PASSED = {
    "topP": "top_p",
    "toolChoice": "tool_choice",
    "parallelToolCalls": "parallel_tool_calls",
    "serviceTier": "service_tier",
    "truncation": "truncation",
    "text": "text",
    "metadata": "metadata",
    "safetyIdentifier": "safety_identifier",
    "promptCacheOptions": "prompt_cache_options",
}


def base_url(model: ModelInfo) -> str:
    """The model's base URL, OpenAI's own when it has none."""
    return (model.base_url or DEFAULT_BASE_URL).rstrip("/")


def transport_name(request: ModelRequest) -> str:
    """How the request travels: `params.transport`, else `compat.transport`, else "sse"."""
    found = param(request, "transport") or request.model.compat.get("transport")
    return str(found or DEFAULT_TRANSPORT)


def body_build(request: ModelRequest) -> dict[str, Any]:
    """The whole body, plain dicts and lists, the same for every transport."""
    body: dict[str, Any] = {"model": request.model.id}
    if request.system:
        body["instructions"] = system_text(request.system)
    body |= {
        "input": input_encode(request.messages, request.model),
        "max_output_tokens": max(max_tokens(request), _MIN_OUTPUT_TOKENS),
        "store": False,
    }
    if request.tools:
        body["tools"] = _tools(request)
    if (heat := temperature(request)) is not None:
        body["temperature"] = heat
    body |= reasoning_fields(request) | _cache(request)
    for name, wire in _PASSED.items():
        if (value := param(request, name, wire)) is not None:
            body[wire] = value
    return body | extra_body(request)


def headers_build(request: ModelRequest) -> dict[str, str]:
    """The model's own headers, and those that keep a session on one machine of the service."""
    headers = dict(request.model.headers)
    if request.session_id and cache_retention(request) != "none":
        names = ("session_id", "x-client-request-id")
        headers |= {name: request.session_id for name in names if name not in headers}
    return headers


def _tools(request: ModelRequest) -> list[dict[str, Any]]:
    tools = tools_normalised(request.tools, request.model)
    strict = strict_ready(tools)
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "strict": strict,
        }
        for tool in tools
    ]


def _cache(request: ModelRequest) -> dict[str, Any]:
    """Prompt caching by session."""
    retention = cache_retention(request)
    if not request.session_id or retention == "none":
        return {}
    fields = {"prompt_cache_key": request.session_id[:_MAX_CACHE_KEY]}
    host = urlsplit(base_url(request.model)).hostname or ""
    is_own = host.endswith("openai.com")
    if retention == "long" and request.model.compat.get("supportsLongCacheRetention", is_own):
        fields["prompt_cache_retention"] = "24h"
    return fields
