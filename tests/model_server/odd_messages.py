"""Odd Anthropic Messages streams, by the name that `[[odd:NAME]]` gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.model_server.answer import Call
from tests.model_server.odd import EMOJI_HALVES, HTML, Odd, OddCase, arguments_of, halves

USAGE = {"input_tokens": 30, "output_tokens": 5}


def event(kind: str, **values: Any) -> bytes:
    """One event of the stream."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **values})}\n\n".encode()


def start(usage: Any = USAGE) -> bytes:
    """The first event."""
    message = {"id": "msg_odd", "model": "fake-1", "content": [], "usage": usage}
    return event("message_start", message=message)


def delta(index: int | None, kind: str, **values: Any) -> bytes:
    """A delta; without an index when None."""
    place = {} if index is None else {"index": index}
    return event("content_block_delta", **place, delta={"type": kind, **values})


def text(*pieces: str) -> list[bytes]:
    """A text block that is left open."""
    opened = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    return [opened, *[delta(0, "text_delta", text=piece) for piece in pieces]]


def call_start(call: Call, index: int | None, **values: Any) -> bytes:
    """The start of a tool call; without an index when None."""
    place = {} if index is None else {"index": index}
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}, **values}
    return event("content_block_start", **place, content_block=block)


def stop(reason: str | None, usage: Any = USAGE) -> bytes:
    """The message_delta with the stop reason."""
    return event("message_delta", delta={"stop_reason": reason}, usage=usage)


STOP_MESSAGE = event("message_stop")
END_CALLS = [stop("tool_use"), STOP_MESSAGE]
END_TEXT = [event("content_block_stop", index=0), stop("end_turn"), STOP_MESSAGE]


def _fixed(*frames: bytes, **values: Any) -> OddCase:
    return lambda calls: Odd(frames, **values)


def _calls(
    calls: Sequence[Call],
    *end: bytes,
    one_index: int | None = None,
    placed: bool = True,
    unicode: bool = False,
    lost: int = 0,
    cut: bool = False,
) -> Odd:
    """Each call in one-character pieces, indexed 0, 1, ... unless told otherwise."""
    frames = [start()]
    for number, call in enumerate(calls):
        index = None if not placed else number if one_index is None else one_index
        frames.append(call_start(call, index))
        raw = json.dumps(call.arguments, ensure_ascii=not unicode)
        letters = halves(raw)[: len(halves(raw)) - lost]
        frames += [delta(index, "input_json_delta", partial_json=letter) for letter in letters]
        if one_index is None and placed and not lost:
            frames.append(event("content_block_stop", index=index))
    return Odd([*frames, *end], cut=cut)


def _glued(calls: Sequence[Call], *, one_name: bool = False, lost: int = 0) -> Odd:
    name = calls[0].name if one_name else "".join(c.name for c in calls)
    raw = "".join(arguments_of(c) for c in calls)
    opened = call_start(calls[0], 0, name=name)
    piece = delta(0, "input_json_delta", partial_json=raw[: len(raw) - lost])
    return Odd([start(), opened, piece, *END_CALLS])


def _arguments(value: Any) -> OddCase:
    def case(calls: Sequence[Call]) -> Odd:
        given = calls[0].arguments if value is dict else value
        piece = delta(0, "input_json_delta", partial_json=given)
        return Odd([start(), call_start(calls[0], 0, input=None), piece, *END_CALLS])

    return case


def _keepalive(calls: Sequence[Call]) -> Odd:
    frames = [b": hi\n\n", start(), event("ping"), *text("ok ", "then"), event("later"), *END_TEXT]
    return Odd([piece.replace(b"\n", b"\r\n") for piece in frames])


_ERROR = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
_ERROR_BODY = b'{"error": {"message": "invalid x-api-key", "type": "authentication_error"}}'
_BAD = b'event: content_block_delta\ndata: {"type":"content_block_de\n\n'
_WHOLE = {
    "type": "message",
    "content": [{"type": "text", "text": "ok then"}],
    "stop_reason": "end_turn",
    "usage": USAGE,
}
_OPEN = [start(), *text("ok ")]
_TEXT = [start(), *text("ok ", "then")]

ODD_MESSAGES: dict[str, OddCase] = {
    "empty_choices": _fixed(start(), event("later"), *text("ok ", "then"), *END_TEXT),
    "usage_last": _fixed(
        start(usage=None), *text("ok ", "then"), stop("end_turn", None), stop(None), STOP_MESSAGE
    ),
    "usage_every": _fixed(*_TEXT, stop(None, {"output_tokens": 1}), *END_TEXT),
    "usage_null": _fixed(start(None), *text("ok ", "then"), stop("end_turn", None), STOP_MESSAGE),
    "usage_missing": _fixed(start(None), *text("ok ", "then"), stop("end_turn", {}), STOP_MESSAGE),
    "text_surrogates": _fixed(start(), *text("ok ", *EMOJI_HALVES, " then"), *END_TEXT),
    "keepalive": _keepalive,
    "json_body": _fixed(json.dumps(_WHOLE).encode(), content_type="application/json"),
    "no_finish_text": _fixed(*_TEXT, STOP_MESSAGE),
    "one_index": lambda calls: _calls(calls, *END_CALLS, one_index=0),
    "no_index": lambda calls: _calls(calls, *END_CALLS, placed=False),
    "bare": lambda calls: _calls([Call("", c.name, c.arguments) for c in calls], *END_CALLS),
    "id_once": lambda calls: _calls(calls, *END_CALLS),
    "pieces": lambda calls: _calls(calls, *END_CALLS),
    "raw_surrogates": lambda calls: _calls(calls, *END_CALLS, unicode=True),
    "glued": _glued,
    "glued_one_name": lambda calls: _glued(calls, one_name=True),
    "glued_truncated": lambda calls: _glued(calls, lost=3),
    "object": _arguments(dict),
    "empty_arguments": _arguments(""),
    "null_arguments": _arguments(None),
    "no_finish": lambda calls: _calls(calls, STOP_MESSAGE),
    "no_finish_close": _calls,
    "close_truncated": lambda calls: _calls(calls, lost=3),
    "length_truncated": lambda calls: _calls(calls, stop("max_tokens"), STOP_MESSAGE, lost=3),
    "cut_call": lambda calls: _calls(calls, lost=3, cut=True),
    "cut": _fixed(*_OPEN, cut=True),
    "close": _fixed(*_OPEN),
    "html": _fixed(HTML, content_type="text/html; charset=utf-8"),
    "html_as_stream": _fixed(HTML),
    "bad_line": _fixed(*_OPEN, _BAD, *END_TEXT),
    "error_object": _fixed(*_OPEN, _ERROR),
    "error_body": _fixed(_ERROR_BODY, content_type="application/json"),
    "empty": _fixed(start(), STOP_MESSAGE),
    "empty_body": _fixed(),
    "filtered": _fixed(*_OPEN, stop("refusal"), STOP_MESSAGE),
}
