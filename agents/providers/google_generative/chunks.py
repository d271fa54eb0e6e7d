"""Chunks of a generateContent answer put together."""

from __future__ import annotations

from typing import Any

from agents.core.errors import ProviderReason
from agents.core.messages import StopReason, Usage
from agents.core.model import ModelEvent, ModelInfo
from agents.providers.common.assembly import OpenCall
from agents.providers.common.body import json_encode
from agents.providers.common.decoder import Decoder
from agents.providers.common.tool_names import tool_name_match
from agents.providers.common.usage import LARGEST_COUNT, usage_of

STOP_REASONS: dict[str, StopReason] = {"STOP": "stop", "MAX_TOKENS": "length"}
# The service failed in these; asked again it may well succeed. All others are refusals.
FAILED_REASONS: dict[str, ProviderReason] = {
    "MALFORMED_FUNCTION_CALL": "timeout",
    "MALFORMED_RESPONSE": "timeout",
    "UNEXPECTED_TOOL_CALL": "timeout",
    "OTHER": "timeout",
}
_UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"


class ChunkDecoder(Decoder):
    """Reads chunks. The format has no end mark: an answer is complete once it has a reason."""

    def feed(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes one chunk."""
        self._note_identity(data)
        if isinstance(data.get("usageMetadata"), dict):
            usage = usage_read(data["usageMetadata"], self.request.model)
            self.usage = usage or self.usage
        feedback = data.get("promptFeedback")
        if isinstance(feedback, dict) and feedback.get("blockReason"):
            text = f"the service refused the request: {feedback['blockReason']}"
            self.failure = (text, "unclassified")
        candidates = data.get("candidates")
        if not isinstance(candidates, list) or not candidates:
            return []
        candidate = candidates[0]
        return self._candidate(candidate) if isinstance(candidate, dict) else []

    def feed_whole(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes an answer in one piece: the same as one chunk that holds everything."""
        return self.feed(data)

    def _note_identity(self, data: dict[str, Any]) -> None:
        if self.response_id is None and isinstance(data.get("responseId"), str):
            self.response_id = data["responseId"]
        model = data.get("modelVersion")
        if isinstance(model, str) and model and model != self.request.model.id:
            self.response_model = model

    def _candidate(self, candidate: dict[str, Any]) -> list[ModelEvent]:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        events: list[ModelEvent] = []
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                events += self._part(part)
        reason = candidate.get("finishReason")
        if reason and reason != _UNSPECIFIED:
            self._finish(str(reason), candidate.get("finishMessage"))
        return events

    def _part(self, part: dict[str, Any]) -> list[ModelEvent]:
        signature = part.get("thoughtSignature")
        signature = signature if isinstance(signature, str) and signature else None
        call = part.get("functionCall")
        if isinstance(call, dict):
            return self._call(call, signature)
        text = part.get("text")
        text = text if isinstance(text, str) else ""
        add = self.assembly.thinking if part.get("thought") else self.assembly.text
        events = add(text)
        if signature is not None:
            self._sign(signature)
        return events

    def _call(self, call: dict[str, Any], signature: str | None) -> list[ModelEvent]:
        name = tool_name_match(str(call.get("name") or ""), self.assembly.tools)
        call_id = call.get("id")
        opened = self.assembly.begin_call(call_id if isinstance(call_id, str) else "", name)
        opened.signature = signature
        arguments = call.get("args")
        return self.assembly.call_delta(opened, _arguments(arguments))

    def _sign(self, signature: str) -> None:
        """A signature belongs to the block that is being written; the last one of it counts."""
        last = self.assembly.blocks[-1] if self.assembly.blocks else None
        if last is not None and not (isinstance(last, OpenCall) and last.signature):
            last.signature = signature

    def _finish(self, reason: str, message: Any) -> None:
        self.stop = STOP_REASONS.get(reason)
        if self.stop is None:
            detail = f": {message}" if isinstance(message, str) and message else ""
            text = f"the service ended the answer with finish reason {reason}{detail}"
            self.failure = (text, FAILED_REASONS.get(reason, "unclassified"))


def _arguments(arguments: Any) -> str:
    """The arguments as JSON text; a service that sends text instead of an object is understood."""
    if isinstance(arguments, str):
        return arguments
    return json_encode(arguments).decode() if isinstance(arguments, dict) else ""


def usage_read(usage: dict[str, Any], model: ModelInfo) -> Usage | None:
    """The usage of a chunk; None when it counts nothing. The input leaves cached tokens out."""
    prompt = _count(usage, "promptTokenCount") + _count(usage, "toolUsePromptTokenCount")
    output = _count(usage, "candidatesTokenCount") + _count(usage, "thoughtsTokenCount")
    if not prompt and not output:
        return None
    read = _count(usage, "cachedContentTokenCount")
    return usage_of(model, fresh=prompt - read, output=output, cache_read=read)


def _count(counts: dict[str, Any], name: str) -> int:
    value = counts.get(name)
    return int(min(value, LARGEST_COUNT)) if isinstance(value, int | float) and value > 0 else 0
