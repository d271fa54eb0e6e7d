"""The transcript in Ollama's format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Thinking,
    ToolResultMessage,
    UserMessage,
    blocks_text,
    user_text,
)
from agents.core.model import ModelInfo
from agents.providers.common.replay import replay

NO_OUTPUT_TEXT = "(no output)"
SEE_IMAGES_TEXT = "(see the images below)"
TOOL_IMAGES_TEXT = "Images from the tool results above:"
_SEE_IMAGE = "(see the image)"

Wire = dict[str, Any]


def messages_encode(messages: Sequence[Message], model: ModelInfo) -> list[Wire]:
    """The messages to send, without the system prompt. Neighbours of one role are merged, images
    of tool results follow as the user's, for a result has no place for them."""
    encoded: list[Wire] = []
    images: list[Image] = []
    for message in replay(messages, model):
        if isinstance(message, ToolResultMessage):
            encoded.append(_result(message))
            images += [block for block in message.content if isinstance(block, Image)]
            continue
        _add_images(encoded, images)
        images = []
        wire = _user(message) if isinstance(message, UserMessage) else _assistant(message)
        _append(encoded, wire)
    _add_images(encoded, images)
    return encoded


def _append(encoded: list[Wire], wire: Wire) -> None:
    last = encoded[-1] if encoded else {}
    if wire["role"] != last.get("role") or "tool_calls" in last:
        encoded.append(wire)
        return
    merged = {**last, **wire}
    for name, between in (("content", "\n\n"), ("thinking", "\n\n")):
        parts = [part for part in (last.get(name), wire.get(name)) if part]
        if parts or name == "content":
            merged[name] = between.join(parts)
    if "images" in last and "images" in wire:
        merged["images"] = [*last["images"], *wire["images"]]
    encoded[-1] = merged


def _add_images(encoded: list[Wire], images: Sequence[Image]) -> None:
    if images:
        data = [image.data for image in images]
        encoded.append({"role": "user", "content": TOOL_IMAGES_TEXT, "images": data})


def _user(message: UserMessage) -> Wire:
    text = user_text(message)
    images = [] if isinstance(message.content, str) else message.content
    data = [block.data for block in images if isinstance(block, Image)]
    if not data:
        return {"role": "user", "content": text}
    return {"role": "user", "content": text or _SEE_IMAGE, "images": data}


def _assistant(message: AssistantMessage) -> Wire:
    wire: Wire = {"role": "assistant", "content": message.text}
    thoughts = [b.thinking for b in message.content if isinstance(b, Thinking) and b.thinking]
    if thoughts:
        wire["thinking"] = "\n\n".join(thoughts)
    if message.tool_calls:
        wire["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return wire


def _result(message: ToolResultMessage) -> Wire:
    text = blocks_text(message.content)
    if not text.strip():
        has_images = any(isinstance(block, Image) for block in message.content)
        text = SEE_IMAGES_TEXT if has_images else NO_OUTPUT_TEXT
    return {"role": "tool", "content": text, "tool_name": message.tool_name}
