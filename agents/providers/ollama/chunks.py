"""Chunks of an Ollama answer put together."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from agents.core.messages import StopReason, Usage
from agents.core.model import ModelEvent, ModelInfo
from agents.providers.common.body import json_encode
from agents.providers.common.decoder import Decoder
from agents.providers.common.tool_names import tool_name_match
from agents.providers.common.usage import usage_of

STOP_REASONS: dict[str, StopReason] = {"stop": "stop", "length": "length"}


class ChunkDecoder(Decoder):
    """Reads chunks. The last one says `done` and counts the tokens."""

    def feed(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes one chunk."""
        model = data.get("model")
        if isinstance(model, str) and model and model != self.request.model.id:
            self.response_model = model
        message = data.get("message")
        events = self._message(message) if isinstance(message, dict) else []
        if data.get("done") is True:
            self._finish(data)
        return events

    def feed_whole(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes an answer in one piece, which is a chunk that is done."""
        return self.feed(data)

    def _message(self, message: dict[str, Any]) -> list[ModelEvent]:
        events = self.assembly.thinking(_text(message.get("thinking")))
        events += self.assembly.text(_text(message.get("content")))
        calls = message.get("tool_calls")
        for entry in calls if isinstance(calls, list) else ():
            function = entry.get("function") if isinstance(entry, dict) else None
            if isinstance(function, dict):
                events += self._call(function)
        return events

    def _call(self, function: dict[str, Any]) -> list[ModelEvent]:
        """A call comes whole. Ids that the service may give are not kept: old versions give none
        and new ones need none back."""
        name = tool_name_match(_text(function.get("name")), self.assembly.tools)
        call = self.assembly.begin_call(f"ollama_call_{uuid4().hex}", name)
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = json_encode(arguments).decode() if isinstance(arguments, dict) else ""
        return self.assembly.call_delta(call, arguments)

    def _finish(self, data: dict[str, Any]) -> None:
        self.ended = True
        self.usage = usage_read(data, self.request.model)
        reason = _text(data.get("done_reason")) or "stop"
        self.stop = STOP_REASONS.get(reason)
        if self.stop is None:
            # "load" and "unload": the service answered that it did something else.
            text = f"the service ended the answer with reason {reason!r}"
            self.failure = (text, "timeout")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def usage_read(data: dict[str, Any], model: ModelInfo) -> Usage | None:
    """The usage of the last chunk; None when it leaves a count out, as it does for a prompt that
    was still in memory, so that both are estimated."""
    prompt, output = data.get("prompt_eval_count"), data.get("eval_count")
    if not isinstance(prompt, int) or not isinstance(output, int) or not prompt:
        return None
    return usage_of(model, fresh=prompt, output=output)
