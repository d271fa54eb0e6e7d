"""Google's generateContent as the server speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from tests.model_server.answer import Answer, next_id
from tests.model_server.conversation import Conversation
from tests.model_server.odd_google import ODD_GOOGLE, SIGNATURE, call_part, frame

name = "google"
odd = ODD_GOOGLE

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def prepare(request: web.Request, body: dict[str, Any]) -> dict[str, Any]:
    """The body with what this format says in the path: the model, and whether to stream."""
    model, _, method = request.match_info["call"].partition(":")
    return {**body, "model": model, "stream": method == "streamGenerateContent"}


def read(body: dict[str, Any]) -> Conversation:
    """The view of a request."""
    contents = body.get("contents", [])
    conversation = Conversation(chars=len(json.dumps(contents)))
    for content in contents:
        if content.get("role") == "model":
            continue
        for part in content.get("parts", []):
            if "functionResponse" in part:
                response = part["functionResponse"]["response"]
                conversation.results.append(str(response.get("output", response.get("error"))))
        conversation.take_user([p for p in content.get("parts", []) if "text" in p])
    return conversation


def error(status: int, text: str) -> dict[str, Any]:
    """The body of an HTTP error."""
    known = _STATUSES.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": text, "status": known}}


def overflow() -> dict[str, Any]:
    """The body of the "context too long" error."""
    text = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    return error(400, text)


def _usage(answer: Answer) -> dict[str, int]:
    tokens_in, tokens_out = answer.usage
    thoughts = min(1, tokens_out) if answer.think else 0
    return {
        "promptTokenCount": tokens_in,
        "candidatesTokenCount": tokens_out - thoughts,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": tokens_in + tokens_out,
    }


def _call_parts(answer: Answer) -> list[dict[str, Any]]:
    """Only the first of parallel calls is signed, as by the service."""
    parts = [call_part(call) for call in answer.calls]
    if parts:
        parts[0]["thoughtSignature"] = SIGNATURE
    return parts


def _head(model: Any) -> dict[str, Any]:
    return {"modelVersion": model, "responseId": f"resp-{next_id()}"}


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    parts: list[dict[str, Any]] = []
    if answer.think:
        parts.append({"text": answer.think, "thought": True})
    if answer.words:
        parts.append({"text": answer.text})
    parts += _call_parts(answer)
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": _usage(answer), **_head(model)}


def stream(answer: Answer, body: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The answer as (kind, frame); kind "word" marks the frames that a script counts."""
    head = _head(body.get("model", ""))
    counted = {"usageMetadata": _usage(answer)}
    if answer.think:
        yield "think", frame({"text": answer.think, "thought": True}, **head)
    for word in answer.words:
        yield "word", frame({"text": word}, **head)
    for part in _call_parts(answer):
        yield "call", frame(part, **head)
    # The last chunk of a text has an empty part with the signature of all of it.
    last = {"text": ""} if answer.calls else {"text": "", "thoughtSignature": SIGNATURE}
    yield "end", frame(last, finish="STOP", **head, **counted)
