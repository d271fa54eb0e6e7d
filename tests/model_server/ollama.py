"""Ollama's chat API as the server speaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from tests.model_server.answer import Answer
from tests.model_server.conversation import Conversation, read_chat
from tests.model_server.odd_ollama import ODD_OLLAMA, call_entry, line

name = "ollama"
odd = ODD_OLLAMA
content_type = "application/x-ndjson"


def prepare(request: web.Request, body: dict[str, Any]) -> dict[str, Any]:
    """The body; this service streams unless it is told not to."""
    return {"stream": True, **body}


def read(body: dict[str, Any]) -> Conversation:
    """The view of a request."""
    return read_chat(body)


def error(status: int, text: str) -> dict[str, Any]:
    """The body of an HTTP error."""
    return {"error": text}


def overflow() -> dict[str, Any]:
    """The body of the "context too long" error."""
    return error(400, "the input length exceeds the context length")


def _end(answer: Answer) -> dict[str, Any]:
    tokens_in, tokens_out = answer.usage
    counts = {"prompt_eval_count": tokens_in, "eval_count": tokens_out}
    times = {"total_duration": 1_000_000, "load_duration": 1_000, "eval_duration": 500_000}
    return {"done": True, "done_reason": "stop", **times, **counts}


def _message(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.think:
        message["thinking"] = answer.think
    if answer.calls:
        message["tool_calls"] = list(map(call_entry, answer.calls))
    return message


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    head = {"model": model, "created_at": "2026-01-01T00:00:00Z"}
    return {**head, "message": _message(answer), **_end(answer)}


def stream(answer: Answer, body: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The answer as (kind, frame); kind "word" marks the frames that a script counts."""
    model = body.get("model", "")
    if answer.think:
        yield "think", line({"content": "", "thinking": answer.think}, model=model)
    for word in answer.words:
        yield "word", line({"content": word}, model=model)
    for call in answer.calls:
        yield "call", line({"content": "", "tool_calls": [call_entry(call)]}, model=model)
    yield "end", line({"content": ""}, model=model, **_end(answer))


async def tags(request: web.Request) -> web.Response:
    """The list of models (GET /api/tags)."""
    model = {"name": "fake-1", "model": "fake-1", "details": {"family": "fake"}}
    return web.json_response({"models": [model]})
