"""OpenAI Chat Completions as the server speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.model_server.answer import Answer, next_id
from tests.model_server.conversation import read_chat
from tests.model_server.odd_chat import ODD_CHAT

name = "chat"
read = read_chat
odd = ODD_CHAT


def error(status: int, text: str) -> dict[str, Any]:
    """The body of an HTTP error."""
    codes = {401: "invalid_api_key", 402: "insufficient_quota", 429: "rate_limit_exceeded"}
    return {"error": {"message": text, "type": "api_error", "code": codes.get(status)}}


def overflow() -> dict[str, Any]:
    """The body of the "context too long" error."""
    text = "This model's maximum context length is 8192 tokens. However, your messages need 9000."
    kind = {"type": "invalid_request_error", "code": "context_length_exceeded"}
    return {"error": {"message": text, "param": "messages", **kind}}


def _usage(answer: Answer) -> dict[str, int]:
    tokens_in, tokens_out = answer.usage
    total = tokens_in + tokens_out
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": total}


def _calls(answer: Answer) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for index, call in enumerate(answer.calls)
    ]


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.think:
        message["reasoning_content"] = answer.think
    if answer.calls:
        message["tool_calls"] = _calls(answer)
    finish = "tool_calls" if answer.calls else "stop"
    return {
        "id": f"chatcmpl-{next_id()}",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(answer),
    }


def stream(answer: Answer, body: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The answer as (kind, frame); kind "word" marks the frames that a script counts."""
    head = {"id": f"chatcmpl-{next_id()}", "object": "chat.completion.chunk"}
    head["model"] = body.get("model", "")

    def frame(**values: Any) -> bytes:
        return b"data: " + json.dumps({**head, **values}).encode() + b"\n\n"

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return frame(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])

    yield "start", chunk({"role": "assistant", "content": ""})
    if answer.think:
        yield "think", chunk({"reasoning_content": answer.think})
    for word in answer.words:
        yield "word", chunk({"content": word})
    for call in _calls(answer):
        yield "call", chunk({"tool_calls": [call]})
    yield "end", chunk({}, "tool_calls" if answer.calls else "stop")
    if (body.get("stream_options") or {}).get("include_usage"):
        yield "end", frame(choices=[], usage=_usage(answer))
    yield "end", b"data: [DONE]\n\n"
