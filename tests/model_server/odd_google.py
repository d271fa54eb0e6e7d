"""Odd generateContent streams, by the name that `[[odd:NAME]]` gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.model_server.answer import Call
from tests.model_server.odd import EMOJI_HALVES, HTML, Odd, OddCase, arguments_of

SIGNATURE = "c2lnbmVk"
USAGE = {"promptTokenCount": 30, "candidatesTokenCount": 5, "totalTokenCount": 35}


def call_part(call: Call, **values: Any) -> dict[str, Any]:
    """A part with a call."""
    function = {"id": call.id, "name": call.name, "args": call.arguments, **values}
    return {"functionCall": {key: value for key, value in function.items() if value is not None}}


def frame(*parts: dict[str, Any], finish: str | None = None, **values: Any) -> bytes:
    """One chunk as a server-sent event; the service ends its lines with CR and LF."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return b"data: " + json.dumps({"candidates": [candidate], **values}).encode() + b"\r\n\r\n"


def chunk(**values: Any) -> bytes:
    """A chunk without a candidate."""
    return b"data: " + json.dumps(values).encode() + b"\r\n\r\n"


def text(*pieces: str, **values: Any) -> list[bytes]:
    """Text chunks."""
    return [frame({"text": piece}, **values) for piece in pieces]


END = frame({"text": ""}, finish="STOP", usageMetadata=USAGE)


def _fixed(*frames: bytes, **values: Any) -> OddCase:
    return lambda calls: Odd(frames, **values)


def _calls(calls: Sequence[Call], *end: bytes, cut: bool = False, **values: Any) -> Odd:
    return Odd([*[frame(call_part(call, **values)) for call in calls], *end], cut=cut)


def _one_chunk(calls: Sequence[Call]) -> Odd:
    return Odd([frame(*map(call_part, calls), finish="STOP", usageMetadata=USAGE)])


def _arguments(value: Any) -> OddCase:
    def case(calls: Sequence[Call]) -> Odd:
        given = arguments_of(calls[0]) if value is str else value
        return Odd([frame(call_part(calls[0], args=given)), END])

    return case


def _truncated(calls: Sequence[Call], *end: bytes, cut: bool = False) -> Odd:
    raw = arguments_of(calls[0])
    return Odd([frame(call_part(calls[0], args=raw[:-3])), *end], cut=cut)


_ERROR = chunk(error={"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"})
_ERROR_BODY = json.dumps(
    {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}
).encode()
_WHOLE = {
    "candidates": [{"content": {"parts": [{"text": "ok then"}]}, "finishReason": "STOP"}],
    "usageMetadata": USAGE,
}
_HALF = {"promptTokenCount": 30, "candidatesTokenCount": 1}

ODD_GOOGLE: dict[str, OddCase] = {
    "empty_choices": _fixed(chunk(candidates=[]), *text("ok ", "then"), END),
    "usage_last": _fixed(*text("ok ", "then", finish="STOP"), chunk(usageMetadata=USAGE)),
    "usage_every": _fixed(*text("ok ", "then", usageMetadata=_HALF), END),
    "usage_null": _fixed(*text("ok ", "then", finish="STOP", usageMetadata=None)),
    "usage_missing": _fixed(*text("ok ", "then", finish="STOP")),
    "text_surrogates": _fixed(*text("ok ", *EMOJI_HALVES, " then"), END),
    "keepalive": _fixed(b": hi\r\n\r\n", *text("ok ", "then"), END),
    "json_body": _fixed(json.dumps(_WHOLE).encode(), content_type="application/json"),
    "bare": lambda calls: _calls(calls, END, id=None),
    "one_id": lambda calls: _calls(calls, END, id="same"),
    "one_chunk": _one_chunk,
    "prefixed": lambda calls: _calls(
        [Call(c.id, f"default_api.{c.name}", c.arguments) for c in calls], END
    ),
    "text_arguments": _arguments(str),
    "empty_arguments": _arguments({}),
    "null_arguments": _arguments(None),
    "no_finish_close": lambda calls: _calls(calls),
    "close_truncated": _truncated,
    "length_truncated": lambda calls: _truncated(calls, frame(finish="MAX_TOKENS")),
    "cut_call": lambda calls: _truncated(calls, cut=True),
    "cut": _fixed(*text("ok "), cut=True),
    "close": _fixed(*text("ok ")),
    "html": _fixed(HTML, content_type="text/html; charset=utf-8"),
    "html_as_stream": _fixed(HTML),
    "bad_line": _fixed(*text("ok "), b'data: {"candidates":[{"co\r\n\r\n', *text("then"), END),
    "error_object": _fixed(*text("ok "), _ERROR),
    "error_body": _fixed(_ERROR_BODY, content_type="application/json"),
    "empty": _fixed(frame()),
    "empty_body": _fixed(),
    "filtered": _fixed(*text("ok "), frame(finish="SAFETY")),
    "blocked": _fixed(chunk(promptFeedback={"blockReason": "PROHIBITED_CONTENT"})),
    "malformed_call": _fixed(frame(finish="MALFORMED_FUNCTION_CALL")),
}
