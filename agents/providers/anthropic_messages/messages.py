"""The transcript in the Messages format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolResultMessage,
    UserBlock,
    UserMessage,
)
from agents.core.model import ModelInfo
from agents.providers.common.call_ids import ANTHROPIC_IDS
from agents.providers.common.replay import replay

NO_OUTPUT_TEXT = "(no output)"

Wire = dict[str, Any]


def messages_encode(messages: Sequence[Message], model: ModelInfo) -> list[Wire]:
    """The messages to send. Neighbours of one role are merged, so results share one message.

    Blank text is left out, for the service refuses it.
    """
    encoded: list[Wire] = []
    for message in replay(messages, model, ids=ANTHROPIC_IDS):
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        blocks = _blocks(message)
        if encoded and encoded[-1]["role"] == role:
            encoded[-1]["content"] += blocks
        elif blocks:
            encoded.append({"role": role, "content": blocks})
    return encoded


def _blocks(message: Message) -> list[Wire]:
    if isinstance(message, AssistantMessage):
        return list(map(_assistant_block, message.content))
    if isinstance(message, ToolResultMessage):
        return [_result(message)]
    return _user_blocks(message)


def _user_blocks(message: UserMessage) -> list[Wire]:
    if isinstance(message.content, str):
        return [_text(message.content)] if message.content.strip() else []
    return _content(message.content)


def _content(content: Sequence[UserBlock]) -> list[Wire]:
    return [
        _image(block) if isinstance(block, Image) else _text(block.text)
        for block in content
        if isinstance(block, Image) or block.text.strip()
    ]


def _text(text: str) -> Wire:
    return {"type": "text", "text": text}


def _image(image: Image) -> Wire:
    source = {"type": "base64", "media_type": image.mime_type, "data": image.data}
    # The format has documents in the same place and shape.
    kind = "document" if image.mime_type == "application/pdf" else "image"
    return {"type": kind, "source": source}


def _assistant_block(block: AssistantBlock) -> Wire:
    if isinstance(block, Text):
        return _text(block.text)
    if not isinstance(block, Thinking):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments}
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.signature}
    if not block.signature:
        return _text(block.thinking)
    return {"type": "thinking", "thinking": block.thinking, "signature": block.signature}


def _result(message: ToolResultMessage) -> Wire:
    wire: Wire = {
        "type": "tool_result",
        "tool_use_id": message.tool_call_id,
        "content": _content(message.content) or [_text(NO_OUTPUT_TEXT)],
    }
    if message.is_error:
        wire["is_error"] = True
    return wire
