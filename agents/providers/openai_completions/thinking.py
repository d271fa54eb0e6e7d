"""How each kind of service is told to reason."""

from __future__ import annotations

from typing import Any

from agents.core.model import ModelRequest
from agents.providers.openai_completions.compat import Compat

# Levels beyond the vendor's own; "adaptive" leaves the effort to the service.
_EFFORTS = {"max": "xhigh", "adaptive": "medium"}


def thinking_fields(request: ModelRequest, compat: Compat) -> dict[str, Any]:
    """The request fields for the thinking level; nothing for a model that does not reason."""
    if not request.model.reasoning:
        return {}
    on = request.thinking != "off"
    effort = _EFFORTS.get(request.thinking, request.thinking)
    match compat.thinking_format:
        case "openrouter":
            # Some models refuse not to reason; little is the least they can do.
            least = "low" if request.model.compat.get("alwaysThinking") else "none"
            return {"reasoning": {"effort": effort if on else least}}
        case "deepseek":
            state: dict[str, Any] = {"thinking": {"type": "enabled" if on else "disabled"}}
            return {**state, "reasoning_effort": effort} if on else state
        case "zai" | "qwen":
            return {"enable_thinking": on}
        case "qwen-chat-template":
            return {"chat_template_kwargs": {"enable_thinking": on}}
        case "openai":
            wanted = on and request.thinking != "adaptive" and compat.supports_reasoning_effort
            return {"reasoning_effort": effort} if wanted else {}
