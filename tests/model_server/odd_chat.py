"""Odd Chat Completions streams, by the name that `[[odd:NAME]]` gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.model_server.answer import Call
from tests.model_server.odd import EMOJI_HALVES, HTML, Odd, OddCase, arguments_of, halves

DONE = b"data: [DONE]\n\n"
USAGE = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35}


def frame(**values: Any) -> bytes:
    """One chunk as a server-sent event."""
    body = {"id": "chatcmpl-odd", "model": "fake-1", **values}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def chunk(delta: dict[str, Any], finish: str | None = None, **values: Any) -> bytes:
    """A chunk with one choice."""
    return frame(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **values)


def text(*pieces: str, **values: Any) -> list[bytes]:
    """Text deltas."""
    return [chunk({"content": piece}, **values) for piece in pieces]


def part(name: str | None = None, arguments: Any = None, **values: Any) -> dict[str, Any]:
    """One entry of `delta.tool_calls`, without what is not given."""
    function: dict[str, Any] = {} if name is None else {"name": name}
    if arguments is not None:
        function["arguments"] = arguments
    return {**values, "function": function}


def parts(*entries: dict[str, Any]) -> list[bytes]:
    """A chunk for each entry."""
    return [chunk({"tool_calls": [entry]}) for entry in entries]


END_CALLS = [chunk({}, "tool_calls"), frame(choices=[], usage=USAGE), DONE]
END_TEXT = [chunk({}, "stop"), frame(choices=[], usage=USAGE), DONE]


def _fixed(*frames: bytes, **values: Any) -> OddCase:
    return lambda calls: Odd(frames, **values)


def _one_index(calls: Sequence[Call]) -> Odd:
    entries = [part(c.name, arguments_of(c), index=0, id=c.id) for c in calls]
    return Odd([*parts(*entries), *END_CALLS])


def _no_index(calls: Sequence[Call]) -> Odd:
    entries = []
    for call in calls:
        raw = arguments_of(call)
        entries.append(part(call.name, raw[:5], index=None, id=call.id))
        entries.append(part(None, raw[5:]))
    return Odd([*parts(*entries), *END_CALLS])


def _bare(calls: Sequence[Call]) -> Odd:
    return Odd([*parts(*[part(c.name, arguments_of(c)) for c in calls]), *END_CALLS])


def _pieces(calls: Sequence[Call], *, unicode: bool = False) -> Odd:
    entries = []
    for index, call in enumerate(calls):
        entries.append(part(call.name, "", index=index, id=call.id))
        raw = json.dumps(call.arguments, ensure_ascii=not unicode)
        entries += [part(None, letter, index=index) for letter in halves(raw)]
    return Odd([*parts(*entries), *END_CALLS])


def _glued(calls: Sequence[Call], *, lost: int = 0) -> Odd:
    names = "".join(c.name for c in calls)
    raw = "".join(arguments_of(c) for c in calls)
    entry = part(names, raw[: len(raw) - lost], index=0, id="call_glued")
    return Odd([*parts(entry), *END_CALLS])


def _glued_one_name(calls: Sequence[Call]) -> Odd:
    raw = "".join(arguments_of(c) for c in calls)
    return Odd([*parts(part(calls[0].name, raw, index=0, id="call_glued")), *END_CALLS])


def _plain(calls: Sequence[Call], *end: bytes, lost: int = 0, cut: bool = False) -> Odd:
    entries = []
    for index, call in enumerate(calls):
        raw = arguments_of(call)
        entries.append(part(call.name, raw[: len(raw) - lost], index=index, id=call.id))
    return Odd([*parts(*entries), *end], cut=cut)


def _arguments(value: Any) -> OddCase:
    def case(calls: Sequence[Call]) -> Odd:
        entry = part(calls[0].name, None, index=0, id=calls[0].id)
        entry["function"]["arguments"] = calls[0].arguments if value is dict else value
        return Odd([*parts(entry), *END_CALLS])

    return case


def _bad_line(calls: Sequence[Call]) -> Odd:
    return Odd([*text("ok "), b'data: {"choices":[{"delta"\n\n', *text("then"), *END_TEXT])


def _keepalive(calls: Sequence[Call]) -> Odd:
    frames = [b": waiting\r\n\r\n", *text("ok "), b"data:\r\n\r\n", *text("then"), *END_TEXT]
    return Odd([piece.replace(b"\n\n", b"\r\n\r\n") for piece in frames])


_ERROR = frame(error={"message": "The engine is overloaded", "code": "overloaded", "type": "x"})
_ERROR_BODY = b'{"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}'
_HALF_USAGE = {"prompt_tokens": 30, "completion_tokens": 1, "total_tokens": 31}
_WHOLE = {
    "choices": [{"message": {"role": "assistant", "content": "ok then"}, "finish_reason": "stop"}],
    "usage": USAGE,
}

ODD_CHAT: dict[str, OddCase] = {
    "empty_choices": _fixed(
        frame(choices=[], prompt_filter_results=[]), *text("ok ", "then"), *END_TEXT
    ),
    "usage_last": _fixed(*text("ok ", "then"), *END_TEXT),
    "usage_every": _fixed(
        *text("ok ", usage=_HALF_USAGE),
        *text("then", usage=USAGE),
        chunk({}, "stop", usage=USAGE),
        DONE,
    ),
    "usage_null": _fixed(*text("ok ", "then", usage=None), chunk({}, "stop", usage=None), DONE),
    "usage_missing": _fixed(*text("ok ", "then"), chunk({}, "stop"), DONE),
    "text_surrogates": _fixed(*text("ok ", *EMOJI_HALVES, " then"), *END_TEXT),
    "keepalive": _keepalive,
    "json_body": _fixed(json.dumps(_WHOLE).encode(), content_type="application/json"),
    "no_finish_text": _fixed(*text("ok ", "then"), DONE),
    "one_index": _one_index,
    "no_index": _no_index,
    "bare": _bare,
    "id_once": _pieces,
    "pieces": _pieces,
    "raw_surrogates": lambda calls: _pieces(calls, unicode=True),
    "glued": _glued,
    "glued_one_name": _glued_one_name,
    "glued_truncated": lambda calls: _glued(calls, lost=3),
    "object": _arguments(dict),
    "empty_arguments": _arguments(""),
    "null_arguments": _arguments(None),
    "no_finish": lambda calls: _plain(calls, DONE),
    "no_finish_close": _plain,
    "close_truncated": lambda calls: _plain(calls, lost=3),
    "length_truncated": lambda calls: _plain(calls, chunk({}, "length"), DONE, lost=3),
    "cut_call": lambda calls: _plain(calls, lost=3, cut=True),
    "cut": _fixed(*text("ok "), cut=True),
    "close": _fixed(*text("ok ")),
    "html": _fixed(HTML, content_type="text/html; charset=utf-8"),
    "html_as_stream": _fixed(HTML),
    "bad_line": _bad_line,
    "error_object": _fixed(*text("ok "), _ERROR, DONE),
    "error_body": _fixed(_ERROR_BODY, content_type="application/json"),
    "empty": _fixed(chunk({"role": "assistant", "content": ""}), DONE),
    "empty_body": _fixed(),
    "lost_call": _fixed(chunk({"content": ""}), *END_TEXT),
    "filtered": _fixed(*text("ok "), chunk({}, "content_filter"), DONE),
}
