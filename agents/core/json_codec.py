"""Messages to and from JSON, with the field names of the reference transcript.

`message_from_json(message_to_json(m)) == m` for every message whose text a store can hold
(see clean_text). `message_to_json` returns plain dicts and lists for any JSON writer.
"""

from __future__ import annotations

from typing import Any, assert_never

from agents.core.clean_text import clean_json, clean_text
from agents.core.json_reader import message_from_json
from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Cost,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserBlock,
    UserMessage,
)

__all__ = ["message_from_json", "message_to_json", "usage_to_json"]


def message_to_json(message: Message) -> dict[str, Any]:
    """The message as a JSON object. Lone surrogates and NUL are replaced; nothing else changes."""
    match message:
        case UserMessage():
            return _user(message)
        case AssistantMessage():
            return _assistant(message)
        case ToolResultMessage():
            return _tool_result(message)
        case _:
            assert_never(message)


def usage_to_json(usage: Usage) -> dict[str, Any]:
    """Token counts and US dollars; `estimated` is written only when it is true."""
    data: dict[str, Any] = {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "totalTokens": usage.total,
        "cost": _cost(usage.cost),
    }
    if usage.estimated:
        data["estimated"] = True
    return data


def _cost(cost: Cost) -> dict[str, float]:
    return {
        "input": cost.input,
        "output": cost.output,
        "cacheRead": cost.cache_read,
        "cacheWrite": cost.cache_write,
        "total": cost.total,
    }


def _user(message: UserMessage) -> dict[str, Any]:
    content = message.content
    return {
        "role": "user",
        "content": clean_text(content) if isinstance(content, str) else _blocks(content),
        "timestamp": message.timestamp,
    }


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    data: dict[str, Any] = {
        "role": "assistant",
        "content": _blocks(message.content),
        "api": message.api,
        "provider": message.provider,
        "model": message.model,
        "usage": usage_to_json(message.usage),
        "stopReason": message.stop_reason,
        "timestamp": message.timestamp,
    }
    _put_text(data, "errorMessage", message.error_message)
    _put_text(data, "responseId", message.response_id)
    _put_text(data, "responseModel", message.response_model)
    return data


def _tool_result(message: ToolResultMessage) -> dict[str, Any]:
    data: dict[str, Any] = {
        "role": "toolResult",
        "toolCallId": clean_text(message.tool_call_id),
        "toolName": clean_text(message.tool_name),
        "content": _blocks(message.content),
        "isError": message.is_error,
        "timestamp": message.timestamp,
    }
    if message.details is not None:
        data["details"] = clean_json(message.details)
    return data


def _blocks(content: tuple[UserBlock, ...] | tuple[AssistantBlock, ...]) -> list[dict[str, Any]]:
    return [_block(block) for block in content]


def _block(block: UserBlock | AssistantBlock) -> dict[str, Any]:
    match block:
        case Text():
            data: dict[str, Any] = {"type": "text", "text": clean_text(block.text)}
            _put_text(data, "textSignature", block.signature)
            return data
        case Thinking():
            return _thinking(block)
        case ToolCall():
            return _tool_call(block)
        case Image():
            return {"type": "image", "data": block.data, "mimeType": block.mime_type}
        case _:
            assert_never(block)


def _thinking(block: Thinking) -> dict[str, Any]:
    data: dict[str, Any] = {"type": "thinking", "thinking": clean_text(block.thinking)}
    _put_text(data, "thinkingSignature", block.signature)
    if block.redacted:
        data["redacted"] = True
    return data


def _tool_call(block: ToolCall) -> dict[str, Any]:
    data: dict[str, Any] = {
        "type": "toolCall",
        "id": clean_text(block.id),
        "name": clean_text(block.name),
        "arguments": clean_json(block.arguments),
    }
    _put_text(data, "thoughtSignature", block.thought_signature)
    return data


def _put_text(data: dict[str, Any], key: str, value: str | None) -> None:
    if value is not None:
        data[key] = clean_text(value)
