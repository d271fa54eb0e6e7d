"""Odd Ollama streams, by the name that `[[odd:NAME]]` gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.model_server.answer import Call
from tests.model_server.odd import EMOJI_HALVES, HTML, Odd, OddCase, arguments_of

LINES = "application/x-ndjson"
USAGE = {"prompt_eval_count": 30, "eval_count": 5}


def call_entry(call: Call, **values: Any) -> dict[str, Any]:
    """One entry of `message.tool_calls`."""
    return {"function": {"name": call.name, "arguments": call.arguments, **values}}


def line(message: dict[str, Any] | None, *, done: bool = False, **values: Any) -> bytes:
    """One chunk as a line."""
    head: dict[str, Any] = {"model": "fake-1", "created_at": "2026-01-01T00:00:00Z"}
    if message is not None:
        head["message"] = {"role": "assistant", **message}
    return json.dumps({**head, "done": done, **values}).encode() + b"\n"


def text(*pieces: str) -> list[bytes]:
    """Text chunks."""
    return [line({"content": piece}) for piece in pieces]


def end(reason: str = "stop", **values: Any) -> bytes:
    """The last chunk."""
    return line({"content": ""}, done=True, done_reason=reason, **(values or USAGE))


def _fixed(*frames: bytes, **values: Any) -> OddCase:
    return lambda calls: Odd(frames, **{"content_type": LINES, **values})


def _odd(*frames: bytes, cut: bool = False) -> Odd:
    return Odd(frames, content_type=LINES, cut=cut)


def _calls(calls: Sequence[Call], *rest: bytes, prefix: str = "") -> Odd:
    entries = [call_entry(Call(c.id, f"{prefix}{c.name}", c.arguments)) for c in calls]
    return _odd(*[line({"content": "", "tool_calls": [entry]}) for entry in entries], *rest)


def _one_line(calls: Sequence[Call]) -> Odd:
    return _odd(line({"content": "", "tool_calls": list(map(call_entry, calls))}), end())


def _arguments(value: Any) -> OddCase:
    def case(calls: Sequence[Call]) -> Odd:
        given = arguments_of(calls[0]) if value is str else value
        return _odd(line({"tool_calls": [call_entry(calls[0], arguments=given)]}), end())

    return case


def _truncated(calls: Sequence[Call], *rest: bytes, cut: bool = False) -> Odd:
    entry = call_entry(calls[0], arguments=arguments_of(calls[0])[:-3])
    return _odd(line({"tool_calls": [entry]}), *rest, cut=cut)


def _pieces(calls: Sequence[Call]) -> Odd:
    whole = b"".join(_calls(calls, end()).frames)
    return _odd(*[whole[at : at + 7] for at in range(0, len(whole), 7)])


_ERROR = b'{"error": "the engine is overloaded"}\n'

ODD_OLLAMA: dict[str, OddCase] = {
    "empty_choices": _fixed(line(None), *text("ok ", "then"), end()),
    "usage_last": _fixed(*text("ok ", "then"), end()),
    "usage_every": _fixed(*text("ok ", "then"), end()),
    "usage_null": _fixed(*text("ok ", "then"), end(prompt_eval_count=None, eval_count=None)),
    "usage_missing": _fixed(*text("ok ", "then"), end(eval_count=2)),
    "text_surrogates": _fixed(*text("ok ", *EMOJI_HALVES, " then"), end()),
    "keepalive": _fixed(b"\n", *text("ok "), b"\r\n", *text("then"), end()),
    "json_body": _fixed(line({"content": "ok then"}, done=True, done_reason="stop", **USAGE)[:-1]),
    "no_finish_text": _fixed(*text("ok ", "then"), line({"content": ""}, done=True, **USAGE)),
    "bare": lambda calls: _calls(calls, end()),
    "one_line": _one_line,
    "pieces": _pieces,
    "prefixed": lambda calls: _calls(calls, end(), prefix="functions."),
    "text_arguments": _arguments(str),
    "empty_arguments": _arguments({}),
    "null_arguments": _arguments(None),
    "no_finish_close": lambda calls: _calls(calls),
    "close_truncated": _truncated,
    "length_truncated": lambda calls: _truncated(calls, end("length")),
    "cut_call": lambda calls: _truncated(calls, cut=True),
    "cut": _fixed(*text("ok "), cut=True),
    "close": _fixed(*text("ok ")),
    "html": _fixed(HTML, content_type="text/html; charset=utf-8"),
    "html_as_stream": _fixed(HTML),
    "bad_line": _fixed(*text("ok "), b'{"message":{"con\n', *text("then"), end()),
    "error_object": _fixed(*text("ok "), _ERROR),
    "error_body": _fixed(b'{"error": "unauthorized"}', content_type="application/json"),
    "empty": _fixed(line({"content": ""})),
    "empty_body": _fixed(),
    "loaded": _fixed(end("load")),
}
