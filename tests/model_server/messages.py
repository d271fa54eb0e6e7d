"""Anthropic Messages as the server speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.model_server.answer import Answer, next_id
from tests.model_server.conversation import read_messages
from tests.model_server.odd_messages import ODD_MESSAGES, event

name = "messages"
read = read_messages
odd = ODD_MESSAGES

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def error(status: int, text: str) -> dict[str, Any]:
    """The body of an HTTP error."""
    kind = _ERROR_TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": text}}


def overflow() -> dict[str, Any]:
    """The body of the "context too long" error."""
    return error(400, "prompt is too long: 210000 tokens > 200000 maximum")


def _blocks(answer: Answer) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if answer.think:
        blocks.append({"type": "thinking", "thinking": answer.think, "signature": "c2lnbmVk"})
    if answer.words or not answer.calls:
        blocks.append({"type": "text", "text": answer.text})
    for call in answer.calls:
        identity = {"id": f"toolu_{call.id}", "name": call.name}
        blocks.append({"type": "tool_use", **identity, "input": call.arguments})
    return blocks


def _stop(answer: Answer) -> str:
    return "tool_use" if answer.calls else "end_turn"


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    tokens_in, tokens_out = answer.usage
    return {
        "id": f"msg_{next_id()}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": _blocks(answer),
        "stop_reason": _stop(answer),
        "stop_sequence": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }


def stream(answer: Answer, body: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The answer as (kind, frame); kind "word" marks the frames that a script counts."""
    message = {**whole(answer, str(body.get("model", ""))), "content": [], "stop_reason": None}
    message["usage"] = {"input_tokens": answer.usage[0], "output_tokens": 1}
    yield "start", event("message_start", message=message)
    for index, block in enumerate(_blocks(answer)):
        yield from _block(index, block, answer)
        yield "end", event("content_block_stop", index=index)
    stop = {"stop_reason": _stop(answer), "stop_sequence": None}
    yield "end", event("message_delta", delta=stop, usage={"output_tokens": answer.usage[1]})
    yield "end", event("message_stop")


def _block(index: int, block: dict[str, Any], answer: Answer) -> Iterator[tuple[str, bytes]]:
    def start(**values: Any) -> bytes:
        return event("content_block_start", index=index, content_block={**block, **values})

    def delta(kind: str, **values: Any) -> bytes:
        return event("content_block_delta", index=index, delta={"type": kind, **values})

    if block["type"] == "text":
        yield "start", start(text="")
        for word in answer.words:
            yield "word", delta("text_delta", text=word)
    elif block["type"] == "thinking":
        yield "think", start(thinking="", signature="")
        yield "think", delta("thinking_delta", thinking=block["thinking"])
        yield "think", delta("signature_delta", signature=block["signature"])
    else:
        yield "call", start(input={})
        yield "call", delta("input_json_delta", partial_json=json.dumps(block["input"]))
