"""Events of a Responses answer put together."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agents.core.messages import Usage
from agents.core.model import ModelEvent, ModelInfo, ModelRequest, TextDelta, ThinkingDelta
from agents.providers.common.arguments import is_complete
from agents.providers.common.assembly import OpenCall, OpenText, OpenThinking
from agents.providers.common.body import json_encode
from agents.providers.common.decoder import Decoder
from agents.providers.common.usage import LARGEST_COUNT, usage_of
from agents.providers.failures import error_from_body
from agents.providers.openai_responses.item_slots import Block, ItemSlots, rewrite
from agents.providers.openai_responses.signatures import (
    call_join,
    message_sign,
    reasoning_sign,
)

PARAGRAPH = "\n\n"
ENDS = ("response.completed", "response.incomplete", "response.failed")
_TEXT_DELTAS = ("response.output_text.delta", "response.refusal.delta")
_THINKING_DELTAS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")


class EventDecoder(Decoder):
    """Reads events; those of a type it does not know are passed over."""

    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request)
        self._slots = ItemSlots(self.assembly)

    def feed(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes one event. Raises ProviderError when it tells of a failure."""
        kind = data.get("type")
        if kind in _TEXT_DELTAS:
            return self._text(self._slots.find(data, OpenText), data.get("delta"))
        if kind in _THINKING_DELTAS:
            return self._thinking(self._slots.find(data, OpenThinking), data.get("delta"))
        if isinstance(kind, str) and kind.startswith("response.function_call_arguments."):
            return self._arguments(data, done=kind.endswith(".done"))
        match kind:
            case "response.output_item.added":
                return self._added(data, _mapping(data, "item"))
            case "response.output_item.done":
                item = _mapping(data, "item")
                return self._done(self._slots.ending(data, item), item)
            case "response.reasoning_summary_part.added":
                block = self._slots.find(data, OpenThinking)
                return self._thinking(block, PARAGRAPH) if any(block.pieces) else []
            case "response.created":
                self._identity(_mapping(data, "response"))
            case "error":
                status = data.get("status")
                raise error_from_body(
                    data, self.request.model, status=status if isinstance(status, int) else None
                )
            case _ if kind in ENDS:
                return self._ended(_mapping(data, "response"), str(kind).rpartition(".")[2])
        return []

    def feed_whole(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes a response that came in one piece."""
        return self._ended(data, str(data.get("status") or "completed"))

    def _added(self, event: dict[str, Any], item: dict[str, Any]) -> list[ModelEvent]:
        block = self._slots.begin(event, item)
        if not isinstance(block, OpenCall):
            return []
        _name(block, item)
        return self.assembly.call_delta(block, _json_text(item.get("arguments")))

    def _done(self, block: Block | None, item: dict[str, Any]) -> list[ModelEvent]:
        """The item as it is at last, which also repairs what was lost on the way."""
        if block is None:
            return []
        self._slots.close(block)
        events: list[ModelEvent] = []
        if isinstance(block, OpenCall):
            _name(block, item)
            return self._final_arguments(block, item.get("arguments"))
        if isinstance(block, OpenThinking):
            if not any(block.pieces):
                events = self._thinking(block, _reasoning(item))
            block.signature = reasoning_sign(item)
        elif isinstance(block, OpenText):
            if not any(block.pieces):
                events = self._text(block, _parts(item, "content", "text", "refusal"))
            block.signature = message_sign(item) if any(block.pieces) else None
        return events

    def _arguments(self, event: dict[str, Any], *, done: bool) -> list[ModelEvent]:
        call = self._slots.find(event, OpenCall)
        if done:
            return self._final_arguments(call, event.get("arguments"))
        return self.assembly.call_delta(call, _json_text(event.get("delta")))

    def _final_arguments(self, call: OpenCall, value: Any) -> list[ModelEvent]:
        final = _json_text(value)
        if not final:
            return []
        if not any(call.pieces):
            return self.assembly.call_delta(call, final)
        if "".join(call.pieces) != final and is_complete(final):
            rewrite(call, final)
        return []

    def _text(self, block: OpenText, delta: Any) -> list[ModelEvent]:
        shown = block.push(delta) if isinstance(delta, str) else ""
        return [TextDelta(block.index, shown)] if shown else []

    def _thinking(self, block: OpenThinking, delta: Any) -> list[ModelEvent]:
        shown = block.push(delta) if isinstance(delta, str) else ""
        return [ThinkingDelta(block.index, shown)] if shown else []

    def _ended(self, response: dict[str, Any], how: str) -> list[ModelEvent]:
        """The whole response: what no event told is taken from it."""
        self._identity(response)
        self.usage = usage_read(_mapping(response, "usage"), self.request.model)
        output = response.get("output")
        events: list[ModelEvent] = []
        seen: Counter[str] = Counter()
        for item in output if isinstance(output, list) else ():
            if isinstance(item, dict):
                kind = str(item.get("type"))
                events += self._done(self._slots.listed(item, seen[kind]), item)
                seen[kind] += 1
        self.ended = True
        self._status(response, str(response.get("status") or how))
        return events

    def _status(self, response: dict[str, Any], status: str) -> None:
        if status == "failed" or response.get("error"):
            raise error_from_body(response.get("error") or response, self.request.model)
        if status == "cancelled":
            self.failure = ("the service cancelled the answer", "unclassified")
        elif status == "incomplete":
            reason = _mapping(response, "incomplete_details").get("reason")
            self.stop = "length"
            if reason not in (None, "max_output_tokens", "max_tokens"):
                text = f"the service ended the answer with the reason {reason!r}"
                self.failure = (text, "unclassified")
        else:
            self.stop = "stop"

    def _identity(self, response: dict[str, Any]) -> None:
        if isinstance(response.get("id"), str):
            self.response_id = response["id"]
        model = response.get("model")
        if isinstance(model, str) and model and model != self.request.model.id:
            self.response_model = model


def usage_read(usage: dict[str, Any], model: ModelInfo) -> Usage | None:
    """The usage of a response; None when it counts nothing. The input leaves cached tokens out.

    The output includes the reasoning, as the service counts and prices it.
    """
    details = _mapping(usage, "input_tokens_details")
    prompt, output = _count(usage, "input_tokens"), _count(usage, "output_tokens")
    if not prompt and not output:
        return None
    read, written = _count(details, "cached_tokens"), _count(details, "cache_write_tokens")
    return usage_of(
        model, fresh=prompt - read - written, output=output, cache_read=read, cache_write=written
    )


def _name(call: OpenCall, item: dict[str, Any]) -> None:
    call_id, item_id = (item.get(key) for key in ("call_id", "id"))
    joined = call_join(
        call_id if isinstance(call_id, str) else "", item_id if isinstance(item_id, str) else ""
    )
    call.id = call.id or joined
    name = item.get("name")
    call.name = call.name or (name if isinstance(name, str) else "")


def _reasoning(item: dict[str, Any]) -> str:
    return _parts(item, "summary", "text") or _parts(item, "content", "text")


def _parts(item: dict[str, Any], field: str, *keys: str) -> str:
    parts = item.get(field)
    found = [
        part[key]
        for part in (parts if isinstance(parts, list) else ())
        for key in keys
        if isinstance(part, dict) and isinstance(part.get(key), str)
    ]
    return (PARAGRAPH if field == "summary" else "").join(found)


def _count(counts: dict[str, Any], name: str) -> int:
    value = counts.get(name)
    return int(min(value, LARGEST_COUNT)) if isinstance(value, int | float) and value > 0 else 0


def _mapping(data: dict[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _json_text(value: Any) -> str:
    if isinstance(value, dict | list):
        return json_encode(value).decode()
    return value if isinstance(value, str) else ""
