"""The transcript as input items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    blocks_text,
)
from agents.core.model import ModelInfo
from agents.providers.common.body import json_encode
from agents.providers.common.call_ids import CallIdRule, CallIds
from agents.providers.common.images import data_url
from agents.providers.common.replay import replay
from agents.providers.openai_responses.signatures import (
    call_split,
    message_facts,
    reasoning_item,
)

NO_OUTPUT_TEXT = "(no output)"

# Our own form holds two ids, so what is sent is cleaned here and not by `replay`.
_AS_THEY_ARE = CallIdRule(re.compile(r"(?s).+"), max_length=64)
# The format's limits for both ids.
_CALL_IDS = CallIdRule(re.compile(r"[a-zA-Z0-9_-]{1,64}"), max_length=64)
_CALL_ITEM_ID = re.compile(r"fc_[a-zA-Z0-9_-]{1,61}")
_MESSAGE_ITEM_ID = re.compile(r"msg_[a-zA-Z0-9_-]{1,60}")

Wire = dict[str, Any]


def input_encode(messages: Sequence[Message], model: ModelInfo) -> list[Wire]:
    """The items to send, without the system prompt.

    Reasoning goes back whole and only with what followed it. The ids of items are sent only
    behind the reasoning of the same answer: the service refuses one without the other, and needs
    neither.
    """
    encoder = _Encoder()
    items: list[Wire] = []
    for message in replay(messages, model, ids=_AS_THEY_ARE):
        items += encoder.message(message)
    return items


class _Encoder:
    """Remembers under which id each call was sent, for its result, and which items were sent."""

    def __init__(self) -> None:
        self._ids = CallIds(_CALL_IDS)
        self._sent: dict[str, str] = {}
        # The service refuses an item that is there twice, which copies of a history can hold.
        self._items: set[str] = set()

    def message(self, message: Message) -> Iterator[Wire]:
        if isinstance(message, AssistantMessage):
            yield from self._assistant(message)
        elif isinstance(message, ToolResultMessage):
            yield self._result(message)
        elif content := _user_content(message):
            yield {"type": "message", "role": "user", "content": content}

    def _assistant(self, message: AssistantMessage) -> Iterator[Wire]:
        with_ids = False
        for block in _followed(message.content):
            if isinstance(block, Thinking):
                item = reasoning_item(block.signature)
                if item is not None and self._is_first(item["id"]):
                    with_ids = True
                    yield item
            elif isinstance(block, Text):
                yield self._message(block, with_id=with_ids)
            else:
                yield self._call(block, with_id=with_ids)

    def _message(self, block: Text, *, with_id: bool) -> Wire:
        facts = message_facts(block.signature)
        phase = {"phase": facts["phase"]} if "phase" in facts else {}
        item_id = facts.get("id", "")
        if not (with_id and _MESSAGE_ITEM_ID.fullmatch(item_id) and self._is_first(item_id)):
            return {"type": "message", "role": "assistant", "content": block.text, **phase}
        return {
            "type": "message",
            "id": item_id,
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": block.text, "annotations": []}],
            **phase,
        }

    def _call(self, call: ToolCall, *, with_id: bool) -> Wire:
        call_id, item_id = call_split(call.id)
        self._sent[call.id] = sent = self._ids.take(call_id)
        wire: Wire = {
            "type": "function_call",
            "call_id": sent,
            "name": call.name,
            "arguments": json_encode(call.arguments).decode(),
        }
        if with_id and _CALL_ITEM_ID.fullmatch(item_id) and self._is_first(item_id):
            wire["id"] = item_id
        return wire

    def _is_first(self, item_id: str) -> bool:
        if item_id in self._items:
            return False
        self._items.add(item_id)
        return True

    def _result(self, message: ToolResultMessage) -> Wire:
        return {
            "type": "function_call_output",
            "call_id": self._sent.get(message.tool_call_id, message.tool_call_id),
            "output": _output(message.content),
        }


def _followed(content: Sequence[AssistantBlock]) -> Sequence[AssistantBlock]:
    """The blocks without the reasoning at the end that nothing came of."""
    end = len(content)
    while end and isinstance(content[end - 1], Thinking):
        end -= 1
    return content[:end]


def _user_content(message: UserMessage) -> list[Wire]:
    blocks = message.content
    if isinstance(blocks, str):
        blocks = (Text(blocks),)
    return [_part(block) for block in blocks if isinstance(block, Image) or block.text]


def _part(block: UserBlock) -> Wire:
    if isinstance(block, Image):
        return {"type": "input_image", "image_url": data_url(block), "detail": "auto"}
    return {"type": "input_text", "text": block.text}


def _output(content: tuple[UserBlock, ...]) -> str | list[Wire]:
    if any(isinstance(block, Image) for block in content):
        return [_part(block) for block in content if isinstance(block, Image) or block.text]
    return blocks_text(content) or NO_OUTPUT_TEXT
