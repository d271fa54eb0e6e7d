"""The transcript in the Chat Completions format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    blocks_text,
)
from agents.core.model import ModelInfo
from agents.providers.common.body import json_decode, json_encode
from agents.providers.common.call_ids import MISTRAL_IDS
from agents.providers.common.images import data_url
from agents.providers.common.replay import OMITTED_TEXT, replay
from agents.providers.openai_completions.compat import Compat

# Fields in which services stream their reasoning, the first with content wins.
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")

TOOL_IMAGES_TEXT = "Images from the tool results above:"
NO_OUTPUT_TEXT = "(no output)"
SEE_IMAGES_TEXT = "(see the images below)"
BRIDGE_TEXT = "I have read the tool results."

Wire = dict[str, Any]


def messages_encode(messages: Sequence[Message], model: ModelInfo, compat: Compat) -> list[Wire]:
    """The messages to send, without the system prompt. Neighbours of one role are merged."""
    ids = MISTRAL_IDS if compat.requires_mistral_tool_ids else None
    encoded: list[Wire] = []
    results: list[ToolResultMessage] = []
    for message in replay(messages, model, ids=ids):
        if isinstance(message, ToolResultMessage):
            results.append(message)
            continue
        if results:
            encoded += _results(results, compat)
            results = []
        wire = _user(message) if isinstance(message, UserMessage) else _assistant(message, compat)
        _append(encoded, wire, compat)
    return [*encoded, *_results(results, compat)]


def _append(encoded: list[Wire], wire: Wire, compat: Compat) -> None:
    last = encoded[-1] if encoded else {}
    if wire["role"] == "user" and last.get("role") == "user":
        last["content"] = _merged(last["content"], wire["content"])
    elif (
        wire["role"] == "assistant" and last.get("role") == "assistant" and "tool_calls" not in last
    ):
        encoded[-1] = {**last, **wire, "content": _merged(last["content"], wire["content"])}
    else:
        if (
            wire["role"] == "user"
            and last.get("role") == "tool"
            and compat.requires_assistant_after_tool_result
        ):
            encoded.append({"role": "assistant", "content": BRIDGE_TEXT})
        encoded.append(wire)


def _merged(first: Any, second: Any) -> Any:
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Any) -> list[Wire]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _user(message: UserMessage) -> Wire:
    if isinstance(message.content, str):
        return {"role": "user", "content": message.content}
    if all(isinstance(block, Text) for block in message.content):
        return {"role": "user", "content": blocks_text(message.content)}
    return {"role": "user", "content": list(map(_part, message.content))}


def _part(block: UserBlock) -> Wire:
    if isinstance(block, Image):
        return {"type": "image_url", "image_url": {"url": data_url(block)}}
    return {"type": "text", "text": block.text}


def _assistant(message: AssistantMessage, compat: Compat) -> Wire:
    text, thinking, reasoning_field = message.text, "", ""
    for block in message.content:
        if isinstance(block, Thinking):
            thinking += block.thinking
            reasoning_field = reasoning_field or block.signature or ""
    wire: Wire = {"role": "assistant"}
    if thinking and compat.requires_thinking_as_text:
        text = f"{thinking}\n\n{text}" if text else thinking
    elif reasoning_field in REASONING_FIELDS:
        wire[reasoning_field] = thinking
    if compat.requires_reasoning_content_on_assistant_messages:
        wire.setdefault("reasoning_content", thinking)
    calls = message.tool_calls
    # An answer of nothing but reasoning keeps its place, but no service takes an empty one.
    wire["content"] = text or (None if calls else OMITTED_TEXT)
    if calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json_encode(call.arguments).decode()},
            }
            for call in calls
        ]
    details = [found for call in calls if (found := _detail(call.thought_signature)) is not None]
    if details:
        wire["reasoning_details"] = details
    return wire


def _detail(signature: str | None) -> Wire | None:
    """The encrypted reasoning that came with a call; None for anything else."""
    try:
        found = json_decode(signature) if signature else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _results(results: Sequence[ToolResultMessage], compat: Compat) -> Iterator[Wire]:
    """The results of one batch; the format has no images in them, so those follow as the user's."""
    images: list[Image] = []
    for result in results:
        found = [block for block in result.content if isinstance(block, Image)]
        images += found
        text = blocks_text(result.content)
        text = text if text.strip() else ""
        wire = {
            "role": "tool",
            "tool_call_id": result.tool_call_id,
            "content": text or (SEE_IMAGES_TEXT if found else NO_OUTPUT_TEXT),
        }
        if compat.requires_tool_result_name:
            wire["name"] = result.tool_name
        yield wire
    if images:
        if compat.requires_assistant_after_tool_result:
            yield {"role": "assistant", "content": BRIDGE_TEXT}
        yield {"role": "user", "content": [_part(Text(TOOL_IMAGES_TEXT)), *map(_part, images)]}
