"""The transcript as Gemini's contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.core.messages import (
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
from agents.providers.common.replay import replay
from agents.providers.google_generative.generation import is_third

NO_OUTPUT_TEXT = "(no output)"
SEE_IMAGES_TEXT = "(see the images)"
TOOL_IMAGES_TEXT = "Images from the tool results above:"
# Google's documented stand-in for the signature of a call that another model wrote.
UNSIGNED_CALL = "skip_thought_signature_validator"

Wire = dict[str, Any]


def contents_encode(messages: Sequence[Message], model: ModelInfo) -> list[Wire]:
    """The contents to send. The results of one answer share one content right behind it, which
    nothing else is put into; otherwise neighbours of one role are merged."""
    contents = _Contents(model)
    for message in replay(messages, model):
        if isinstance(message, ToolResultMessage):
            contents.results.append(message)
            continue
        contents.flush()
        if isinstance(message, AssistantMessage):
            contents.add("model", contents.answer(message))
        else:
            contents.add("user", _user_parts(message))
    contents.flush()
    return contents.wires


class _Contents:
    def __init__(self, model: ModelInfo) -> None:
        self.wires: list[Wire] = []
        self.results: list[ToolResultMessage] = []
        self._third = is_third(model)
        self._sealed = True

    def add(self, role: str, parts: list[Wire]) -> None:
        if not parts:
            return
        if not self._sealed and self.wires[-1]["role"] == role:
            self.wires[-1]["parts"] += parts
        else:
            self.wires.append({"role": role, "parts": parts})
        self._sealed = False

    def flush(self) -> None:
        """Writes the results that were collected."""
        if not self.results:
            return
        self._sealed = True
        self.add("user", [self._result(result) for result in self.results])
        self._sealed = True
        images = [b for result in self.results for b in result.content if isinstance(b, Image)]
        if images and not self._third:
            self.add("user", [{"text": TOOL_IMAGES_TEXT}, *map(_part, images)])
        self.results = []

    def answer(self, message: AssistantMessage) -> list[Wire]:
        parts: list[Wire] = []
        is_first_call = True
        for block in message.content:
            if isinstance(block, ToolCall):
                parts.append(self._call(block, is_first=is_first_call))
                is_first_call = False
            elif isinstance(block, Text):
                parts.append(_signed({"text": block.text}, block.signature))
            elif isinstance(block, Thinking) and block.thinking.strip():
                parts.append(_signed({"text": block.thinking, "thought": True}, block.signature))
        return parts

    def _call(self, call: ToolCall, *, is_first: bool) -> Wire:
        function: Wire = {"name": call.name, "args": call.arguments}
        if self._third:
            function["id"] = call.id
        signature = call.thought_signature
        # Of the calls of one answer the service signs the first and demands to see it signed.
        if not signature and is_first and self._third:
            signature = UNSIGNED_CALL
        return _signed({"functionCall": function}, signature)

    def _result(self, message: ToolResultMessage) -> Wire:
        text = blocks_text(message.content)
        images = [block for block in message.content if isinstance(block, Image)]
        text = text if text.strip() else SEE_IMAGES_TEXT if images else NO_OUTPUT_TEXT
        response: Wire = {
            "name": message.tool_name,
            "response": {"error" if message.is_error else "output": text},
        }
        if self._third:
            response["id"] = message.tool_call_id
            if images:
                response["parts"] = list(map(_part, images))
        return {"functionResponse": response}


def _signed(part: Wire, signature: str | None) -> Wire:
    return {**part, "thoughtSignature": signature} if signature else part


def _user_parts(message: UserMessage) -> list[Wire]:
    if isinstance(message.content, str):
        return [{"text": message.content}]
    return list(map(_part, message.content))


def _part(block: UserBlock) -> Wire:
    if isinstance(block, Image):
        return {"inlineData": {"mimeType": block.mime_type, "data": block.data}}
    return {"text": block.text}
