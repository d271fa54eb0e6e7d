"""The address and the body of a chat request."""

from __future__ import annotations

from typing import Any

from agents.core.messages import ThinkingLevel
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.params import extra_body, max_tokens, param, temperature
from agents.providers.common.prompt_cache import system_text
from agents.providers.common.schemas import tools_normalised
from agents.providers.ollama.messages import messages_encode

DEFAULT_BASE_URL = "http://127.0.0.1:11434"

# The service's own three levels; "off" is false.
_THINK: dict[ThinkingLevel, bool | str] = {
    "off": False,
    "minimal": "low",
    "low": "low",
    "medium": "medium",
}
# Settings of `options`, as written in the settings and as sent.
_OPTIONS = {
    "topP": "top_p",
    "topK": "top_k",
    "minP": "min_p",
    "seed": "seed",
    "stop": "stop",
    "repeatPenalty": "repeat_penalty",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "numGpu": "num_gpu",
    "numThread": "num_thread",
}


def request_url(model: ModelInfo) -> str:
    """Where to POST. The paths of the other API (/v1) and of this one may be part of the base."""
    base = (model.base_url or DEFAULT_BASE_URL).rstrip("/")
    return f"{base.removesuffix('/v1').removesuffix('/api')}/api/chat"


def headers_build(model: ModelInfo) -> dict[str, str]:
    """The model's own headers, and its key, which only services behind a proxy need."""
    headers = {"authorization": f"Bearer {model.api_key}"} if model.api_key else {}
    return headers | {name.lower(): value for name, value in model.headers.items()}


def body_build(request: ModelRequest) -> dict[str, Any]:
    """The whole body, plain dicts and lists."""
    messages = messages_encode(request.messages, request.model)
    if system := system_text(request.system):
        messages.insert(0, {"role": "system", "content": system})
    body: dict[str, Any] = {
        "model": request.model.id,
        "messages": messages,
        "stream": True,
        "options": _options(request),
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in tools_normalised(request.tools, request.model)
        ]
    # A model that cannot think refuses to be told to.
    if request.model.reasoning:
        body["think"] = _THINK.get(request.thinking, "high")
    if (keep := param(request, "keepAlive", "keep_alive")) is not None:
        body["keep_alive"] = keep
    if (form := param(request, "format", "responseFormat")) is not None:
        body["format"] = form
    return body | extra_body(request)


def _options(request: ModelRequest) -> dict[str, Any]:
    """What Ollama calls options. Without a size of the context it would cut long prompts to its
    default (a few thousand tokens) in silence, so the window of the model is asked for."""
    options: dict[str, Any] = {"num_predict": max_tokens(request)}
    window = param(request, "num_ctx", "numCtx") or request.model.context_window
    if window:
        options["num_ctx"] = int(window)
    if (heat := temperature(request)) is not None:
        options["temperature"] = heat
    for name, wire in _OPTIONS.items():
        if (value := param(request, name, wire)) is not None:
            options[wire] = value
    stated = param(request, "options")
    return options | stated if isinstance(stated, dict) else options
