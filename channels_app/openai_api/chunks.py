"""Answers in the shape of the OpenAI API. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from channels_app.gateway.hub.follower import RunEnded

DONE = b"data: [DONE]\n\n"
# A comment that clients skip, so that proxies do not take silence for death.
KEEP_ALIVE = b": keep-alive\n\n"
_EMPTY = "No response from OpenClaw."
_FINISH = {"length": "length", "refusal": "content_filter"}


@dataclass(frozen=True, slots=True)
class Completion:
    """What all parts of one answer share. `created` is in seconds since the epoch."""

    id: str
    model: str
    created: int

    def whole(self, ended: RunEnded) -> dict[str, Any]:
        """The answer in one piece."""
        message = {"role": "assistant", "content": ended.text or _EMPTY}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason(ended)}
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            "usage": usage_of(ended),
        }

    def chunk(self, delta: dict[str, Any], *, finish: str | None = None) -> bytes:
        """A piece of the stream."""
        return self._event([{"index": 0, "delta": delta, "finish_reason": finish}])

    def usage_chunk(self, ended: RunEnded) -> bytes:
        """The token counts, with no choices, as the API has it."""
        return self._event([], usage=usage_of(ended))

    def _event(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        body = {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
            **more,
        }
        return sse(body)


def sse(body: dict[str, Any]) -> bytes:
    """One server-sent event."""
    return b"data: " + orjson.dumps(body) + b"\n\n"


def finish_reason(ended: RunEnded) -> str:
    """Why the answer ended, in the API's words."""
    return _FINISH.get(ended.stop_reason, "stop")


def usage_of(ended: RunEnded) -> dict[str, int]:
    """Token counts; cached tokens count as part of the prompt."""
    usage = ended.usage
    prompt = sum(int(usage.get(name) or 0) for name in ("input", "cacheRead", "cacheWrite"))
    completion = int(usage.get("output") or 0)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
