"""Chunks of a Chat Completions answer put together."""

from __future__ import annotations

from typing import Any

from agents.core.errors import ProviderReason
from agents.core.messages import StopReason, Usage
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.common.body import json_encode
from agents.providers.common.decoder import Decoder
from agents.providers.common.usage import LARGEST_COUNT, usage_of
from agents.providers.openai_completions.call_slots import CallSlots
from agents.providers.openai_completions.messages import REASONING_FIELDS

STOP_REASONS: dict[str, StopReason] = {
    "stop": "stop",
    "end": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "function_call": "toolUse",
    "tool_calls": "toolUse",
    "tool_use": "toolUse",
}
FAILED_REASONS: dict[str, ProviderReason] = {
    "content_filter": "unclassified",
    "network_error": "timeout",
    "error": "timeout",
    "abort": "timeout",
    "malformed_response": "timeout",
}


class ChunkDecoder(Decoder):
    """Reads chunks in whatever order and completeness a service sends them."""

    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request)
        self._slots = CallSlots(self.assembly)

    def feed(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes one chunk."""
        self._note_identity(data)
        usage = data.get("usage")
        if isinstance(usage, dict):
            self.usage = usage_read(usage, self.request.model) or self.usage
        choices = data.get("choices")
        events: list[ModelEvent] = []
        # Only one answer is ever asked for; some services put its text and its calls in two.
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict):
                events += self._choice(choice)
        return events

    def _choice(self, choice: dict[str, Any]) -> list[ModelEvent]:
        delta = choice.get("delta")
        events = self._delta(delta) if isinstance(delta, dict) else []
        if isinstance(choice.get("usage"), dict):
            self.usage = usage_read(choice["usage"], self.request.model) or self.usage
        if choice.get("finish_reason"):
            self._finish(str(choice["finish_reason"]))
        return events

    def feed_whole(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes a completion: the same as one chunk that holds everything."""
        choices = data.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict):
                choice.setdefault("delta", choice.get("message"))
        events = self.feed(data)
        self.ended = True
        return events

    def _note_identity(self, data: dict[str, Any]) -> None:
        if self.response_id is None and isinstance(data.get("id"), str):
            self.response_id = data["id"]
        model = data.get("model")
        if isinstance(model, str) and model and model != self.request.model.id:
            self.response_model = model

    def _delta(self, delta: dict[str, Any]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for name in REASONING_FIELDS:
            if isinstance(delta.get(name), str) and delta[name]:
                events += self.assembly.thinking(delta[name], name)
                break
        events += self.assembly.text(_content(delta.get("content")))
        entries = delta.get("tool_calls")
        if isinstance(entries, list):
            for position, entry in enumerate(entries):
                if isinstance(entry, dict):
                    events += self._call(entry, position, len(entries))
        for detail in delta.get("reasoning_details") or ():
            self._reasoning_detail(detail)
        return events

    def _call(self, entry: dict[str, Any], position: int, count: int) -> list[ModelEvent]:
        function = entry.get("function")
        function = function if isinstance(function, dict) else {}
        name = function.get("name")
        call = self._slots.find(entry, name if isinstance(name, str) else "", position, count)
        arguments = function.get("arguments")
        if isinstance(arguments, dict | list):
            arguments = json_encode(arguments).decode()
        return self.assembly.call_delta(call, arguments if isinstance(arguments, str) else "")

    def _reasoning_detail(self, detail: Any) -> None:
        """Encrypted reasoning belongs to the call of its id and must be sent back with it."""
        if not isinstance(detail, dict) or detail.get("type") != "reasoning.encrypted":
            return
        call = self._slots.by_id(str(detail.get("id")))
        if call is not None:
            call.signature = json_encode(detail).decode()

    def _finish(self, reason: str) -> None:
        known = STOP_REASONS.get(reason)
        if known is not None:
            self.stop = known
            return
        text = f"the service ended the answer with finish reason {reason!r}"
        self.failure = (text, FAILED_REASONS.get(reason, "unclassified"))


def _content(content: Any) -> str:
    """Text, also where a service sends a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def usage_read(usage: dict[str, Any], model: ModelInfo) -> Usage | None:
    """The usage of a chunk; None when it counts nothing. The input leaves cached tokens out."""
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    prompt, output = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not prompt and not output:
        return None
    read = _count(details, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens")
    written = _count(details, "cache_write_tokens")
    return usage_of(
        model,
        fresh=prompt - read - written,
        output=output,
        cache_read=read,
        cache_write=written,
    )


def _count(counts: dict[str, Any], name: str) -> int:
    value = counts.get(name)
    return int(min(value, LARGEST_COUNT)) if isinstance(value, int | float) and value > 0 else 0
