"""Events of a Messages answer put together."""

from __future__ import annotations

from typing import Any

from agents.core.messages import StopReason
from agents.core.model import ModelEvent, ModelRequest
from agents.providers.common.assembly import OpenCall
from agents.providers.common.body import json_encode
from agents.providers.common.decoder import Decoder
from agents.providers.common.usage import usage_of

STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "toolUse",
}
_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


class EventDecoder(Decoder):
    """Reads events; those of a type it does not know are passed over, as the format demands."""

    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request)
        self._calls: dict[int, OpenCall] = {}
        self._last_call: OpenCall | None = None
        # Arguments that came whole with the start of a call; used if no delta follows.
        self._given: tuple[OpenCall, dict[str, Any]] | None = None
        self._counts: dict[str, int] = {}

    def feed(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes one event."""
        match data.get("type"):
            case "content_block_delta":
                return self._delta(data.get("index"), _mapping(data, "delta"))
            case "content_block_start":
                return [
                    *self._flush(),
                    *self._start(data.get("index"), _mapping(data, "content_block")),
                ]
            case "content_block_stop":
                return self._flush()
            case "message_start":
                self._message_start(_mapping(data, "message"))
            case "message_delta":
                self._note_usage(data.get("usage"))
                self._stop_reason(_mapping(data, "delta").get("stop_reason"))
                return self._flush()
            case "message_stop":
                self.ended = True
                return self._flush()
        return []

    def feed_whole(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes a whole message by playing the events it would have been streamed in."""
        events: list[ModelEvent] = []
        self._message_start(data)
        for index, block in enumerate(data.get("content") or ()):
            events += self.feed(
                {"type": "content_block_start", "index": index, "content_block": block}
            )
        self._stop_reason(data.get("stop_reason"))
        return [*events, *self.feed({"type": "message_stop"})]

    def _message_start(self, message: dict[str, Any]) -> None:
        self.response_id = message.get("id")
        model = message.get("model")
        if isinstance(model, str) and model and model != self.request.model.id:
            self.response_model = model
        self._note_usage(message.get("usage"))

    def _start(self, index: Any, block: dict[str, Any]) -> list[ModelEvent]:
        match block.get("type"):
            case "text":
                self.assembly.part()
                return self.assembly.text(block.get("text") or "")
            case "thinking":
                self.assembly.part()
                events = self.assembly.thinking(block.get("thinking") or "")
                self._sign(block.get("signature"))
                return events
            case "redacted_thinking":
                self.assembly.redacted_thinking(block.get("data") or "")
            case "tool_use":
                return self._begin_call(index, block)
        return []

    def _begin_call(self, index: Any, block: dict[str, Any]) -> list[ModelEvent]:
        call = self.assembly.begin_call(block.get("id") or "", block.get("name") or "")
        self._last_call = call
        if isinstance(index, int):
            self._calls[index] = call
        if isinstance(block.get("input"), dict) and block["input"]:
            self._given = (call, block["input"])
        return self.assembly.call_delta(call, "")

    def _flush(self) -> list[ModelEvent]:
        """Uses arguments that came with the start, unless deltas came after all."""
        if self._given is None:
            return []
        (call, arguments), self._given = self._given, None
        if any(call.pieces):
            return []
        return self.assembly.call_delta(call, json_encode(arguments).decode())

    def _delta(self, index: Any, delta: dict[str, Any]) -> list[ModelEvent]:
        match delta.get("type"):
            case "text_delta":
                return self.assembly.text(delta.get("text") or "")
            case "thinking_delta":
                return self.assembly.thinking(delta.get("thinking") or "")
            case "signature_delta":
                self._sign(delta.get("signature"))
            case "input_json_delta":
                call = self._calls.get(index, self._last_call)
                if call is not None:
                    return self.assembly.call_delta(call, _json_text(delta.get("partial_json")))
        return []

    def _sign(self, signature: Any) -> None:
        if isinstance(signature, str) and signature:
            self.assembly.sign_thinking(signature)

    def _stop_reason(self, reason: Any) -> None:
        if not reason:
            return
        self.stop = STOP_REASONS.get(str(reason))
        if self.stop is None:
            refused = reason in ("refusal", "sensitive")
            text = "the model refused to answer" if refused else f"unknown stop reason {reason!r}"
            self.failure = (text, "unclassified")

    def _note_usage(self, usage: Any) -> None:
        """Counts are running totals, and an event may leave out what did not change."""
        if not isinstance(usage, dict):
            return
        for name in _COUNTS:
            if isinstance(usage.get(name), int):
                self._counts[name] = usage[name]
        if not any(self._counts.values()):
            return
        fresh, output, read, written = (self._counts.get(name, 0) for name in _COUNTS)
        self.usage = usage_of(
            self.request.model, fresh=fresh, output=output, cache_read=read, cache_write=written
        )


def _mapping(data: dict[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _json_text(value: Any) -> str:
    if isinstance(value, dict | list):
        return json_encode(value).decode()
    return value if isinstance(value, str) else ""
