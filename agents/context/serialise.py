"""A conversation written out as one text, to be read by whoever summarises it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from agents.core.messages import (
    AssistantMessage,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserBlock,
)

# Characters of one tool result, of one thought, and of the arguments of one call that are shown.
RESULT_CHARS = 2_000
_THOUGHT_CHARS = 1_000
_ARGUMENT_CHARS = 1_000
_LEAST_CHARS = 200


def conversation_lines(messages: Iterable[Message], *, limit: int | None = None) -> list[str]:
    """Each message as a piece of text that names its speaker.

    `limit` is the most characters of one message; the middle of a longer one is left out.
    """
    return [piece for message in messages if (piece := _piece(message, limit))]


def shortened(text: str, limit: int) -> str:
    """`text` with its middle left out when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    limit = max(limit, _LEAST_CHARS)
    head, tail = limit * 2 // 3, limit // 3
    left_out = len(text) - head - tail
    return text if left_out <= 0 else f"{text[:head]} […{left_out} characters…] {text[-tail:]}"


def _piece(message: Message, limit: int | None) -> str:
    if isinstance(message, AssistantMessage):
        text = _assistant(message)
    elif isinstance(message, ToolResultMessage):
        mark = " (failed)" if message.is_error else ""
        said = shortened(_blocks(message.content), RESULT_CHARS)
        text = f"[Tool result] {message.tool_name}{mark}: {said}"
    else:
        content = message.content
        text = f"[User] {content if isinstance(content, str) else _blocks(content)}"
    return text if limit is None else shortened(text, limit)


def _assistant(message: AssistantMessage) -> str:
    parts: list[str] = []
    for block in message.content:
        if isinstance(block, Text) and block.text.strip():
            parts.append(f"[Assistant] {block.text}")
        elif isinstance(block, Thinking) and block.thinking.strip():
            parts.append(f"[Assistant thinking] {shortened(block.thinking, _THOUGHT_CHARS)}")
        elif isinstance(block, ToolCall):
            parts.append(f"[Assistant tool call] {block.name}({_arguments(block)})")
    return "\n".join(parts)


def _arguments(call: ToolCall) -> str:
    written = orjson.dumps(dict(call.arguments), default=str).decode()
    return shortened(written, _ARGUMENT_CHARS)


def _blocks(content: Sequence[UserBlock]) -> str:
    return "\n".join(
        block.text if isinstance(block, Text) else f"[image {block.mime_type}]" for block in content
    )
