"""Whether another model can take a request over. Pure."""

from __future__ import annotations

from agents.core.messages import Image, ToolResultMessage, UserMessage
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.usage import usage_estimate


def tokens_needed(request: ModelRequest) -> int:
    """About how many tokens the request takes, without the answer."""
    return usage_estimate(request, ()).input


def can_serve(model: ModelInfo, request: ModelRequest, tokens: int) -> bool:
    """Whether `model` has the tools, the eyes and the window that the request needs."""
    if request.tools and model.compat.get("supportsTools") is False:
        return False
    if "image" not in model.input and has_new_image(request):
        return False
    return tokens < model.context_window


def has_new_image(request: ModelRequest) -> bool:
    """Whether an image came with the newest message of a person, or after it.

    Older ones were answered; a model that cannot see gets a note in their place.
    """
    for message in reversed(request.messages):
        if isinstance(message, UserMessage | ToolResultMessage):
            if any(isinstance(block, Image) for block in message.content):
                return True
            if isinstance(message, UserMessage):
                return False
    return False
