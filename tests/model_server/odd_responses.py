"""Odd Responses streams, by the name that `[[odd:NAME]]` gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.model_server.answer import Call
from tests.model_server.odd import EMOJI_HALVES, HTML, Odd, OddCase, arguments_of, halves

DONE = b"data: [DONE]\n\n"
USAGE = {
    "input_tokens": 30,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 35,
}
_CALLED = "response.function_call_arguments"


class Events:
    """Numbers the events of one stream."""

    def __init__(self) -> None:
        self._number = 0

    def frame(self, kind: str, **values: Any) -> bytes:
        """One event."""
        body = {"type": kind, "sequence_number": self._number, **values}
        self._number += 1
        return f"event: {kind}\ndata: {json.dumps(body)}\n\n".encode()


def frame(kind: str, **values: Any) -> bytes:
    """One event whose number does not matter."""
    return Events().frame(kind, **values)


def response_of(response_id: str, **values: Any) -> dict[str, Any]:
    """A response with the fields that every one has."""
    return {
        "id": response_id,
        "object": "response",
        "created_at": 1_790_000_000,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "temperature": 1.0,
        "top_p": 1.0,
        **values,
    }


def ended(how: str = "completed", **values: Any) -> bytes:
    """The last event. What was streamed is not repeated in it unless `values` do."""
    facts = {"model": "fake-1", "status": how, "output": [], "usage": USAGE, **values}
    return frame(f"response.{how}", response=response_of("resp_odd", **facts))


def text(*pieces: str) -> list[bytes]:
    """A message that is left open."""
    item = {"id": "msg_odd", "type": "message", "role": "assistant", "content": []}
    place = {"item_id": "msg_odd", "output_index": 0, "content_index": 0}
    deltas = [frame("response.output_text.delta", **place, delta=piece) for piece in pieces]
    return [frame("response.output_item.added", output_index=0, item=item), *deltas]


def item_of(call: Call, number: int, arguments: Any = "", **values: Any) -> dict[str, Any]:
    """The item of a call; one with the id None has none."""
    item = {"id": f"fc_{number}", "type": "function_call", "call_id": call.id, "name": call.name}
    item |= {"arguments": arguments, **values}
    return {key: value for key, value in item.items() if value is not None}


START = frame(
    "response.created",
    response=response_of("resp_odd", model="fake-1", status="in_progress", output=[], usage=None),
)


def _fixed(*frames: bytes, **values: Any) -> OddCase:
    return lambda calls: Odd(frames, **values)


def _calls(
    calls: Sequence[Call],
    *end: bytes,
    one_index: int | None = None,
    bare: bool = False,
    other_ids: bool = False,
    unicode: bool = False,
    lost: int = 0,
    done: bool = True,
    cut: bool = False,
) -> Odd:
    """Each call in one-character pieces, then its item complete, unless told otherwise.

    Without their ends (`done`), calls are interleaved with each other's beginning.
    """
    frames = [START]
    for number, call in enumerate(calls):
        index = number if one_index is None else one_index
        place = {} if bare else {"item_id": f"fc_{number}", "output_index": index}
        at = {} if bare else {"output_index": index}
        ids: dict[str, Any] = {"id": None} if bare else {}
        if other_ids:
            place["item_id"], ids["id"] = f"x{number}", f"y{number}"
        frames.append(frame("response.output_item.added", **at, item=item_of(call, number, **ids)))
        raw = json.dumps(call.arguments, ensure_ascii=not unicode)
        letters = halves(raw)[: len(halves(raw)) - lost]
        frames += [frame(f"{_CALLED}.delta", **place, delta=letter) for letter in letters]
        if done and not lost:
            if other_ids:
                ids["id"] = f"z{number}"
            item = item_of(call, number, raw, **ids)
            frames.append(frame("response.output_item.done", **at, item=item))
    return Odd([*frames, *end], cut=cut)


def _glued(calls: Sequence[Call], *, one_name: bool = False, lost: int = 0) -> Odd:
    name = calls[0].name if one_name else "".join(call.name for call in calls)
    raw = "".join(map(arguments_of, calls))
    raw = raw[: len(raw) - lost]
    item = item_of(Call("call_glued", name, {}), 0)
    delta = frame(f"{_CALLED}.delta", item_id="fc_0", output_index=0, delta=raw)
    finished = {**item, "arguments": raw}
    return Odd([
        START,
        frame("response.output_item.added", output_index=0, item=item),
        delta,
        frame("response.output_item.done", output_index=0, item=finished),
        ended(output=[finished]),
    ])  # fmt: skip


def _arguments(value: Any) -> OddCase:
    def case(calls: Sequence[Call]) -> Odd:
        given = calls[0].arguments if value is dict else value
        item = {**item_of(calls[0], 0), "arguments": given}
        added = frame("response.output_item.added", output_index=0, item=item_of(calls[0], 0))
        done = frame("response.output_item.done", output_index=0, item=item)
        return Odd([START, added, done, ended(output=[item])])

    return case


def _listed(calls: Sequence[Call]) -> Odd:
    """Nothing is streamed; the calls are only in the response that ends it."""
    items = [item_of(call, number, arguments_of(call)) for number, call in enumerate(calls)]
    return Odd([START, ended(output=items)])


def _other_types(calls: Sequence[Call]) -> Odd:
    """Items of other types carry the same call_id as the calls."""
    plain = _calls(calls)
    others = [
        {"id": f"fco_{n}", "type": "function_call_output", "call_id": call.id, "output": "lost"}
        for n, call in enumerate(calls)
    ]
    frames = []
    for number, item in enumerate(others):
        place = {"output_index": len(calls) + number}
        frames.append(frame("response.output_item.added", **place, item=item))
        frames.append(frame("response.output_item.done", **place, item=item))
    return Odd([*plain.frames, *frames, ended(output=others)])


def _keepalive(calls: Sequence[Call]) -> Odd:
    frames = [b": hi\n\n", START, frame("response.later"), *text("ok ", "then"), ended()]
    return Odd([piece.replace(b"\n", b"\r\n") for piece in frames])


_ERROR = frame("error", code="server_is_overloaded", message="The engine is overloaded", param=None)
_ERROR_BODY = b'{"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}'
_BAD = b'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n'
_WHOLE_TEXT = {
    "id": "msg_odd",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "ok then", "annotations": []}],
}
_WHOLE = response_of(
    "resp_odd", model="fake-1", status="completed", output=[_WHOLE_TEXT], usage=USAGE
)
_OPEN = [START, *text("ok ")]
_TEXT = [START, *text("ok ", "then")]
_LIMIT = {"incomplete_details": {"reason": "max_output_tokens"}}
_FILTER = {"incomplete_details": {"reason": "content_filter"}}
_FAILED = {"error": {"code": "server_error", "message": "The server had an error."}}

ODD_RESPONSES: dict[str, OddCase] = {
    "empty_choices": _fixed(START, frame("response.queued"), *text("ok ", "then"), ended()),
    "usage_last": _fixed(*_TEXT, ended()),
    "usage_every": _fixed(*_TEXT, frame("response.in_progress", response={}), ended()),
    "usage_null": _fixed(*_TEXT, ended(usage=None)),
    "usage_missing": _fixed(*_TEXT, ended(usage={})),
    "text_surrogates": _fixed(START, *text("ok ", *EMOJI_HALVES, " then"), ended()),
    "keepalive": _keepalive,
    "json_body": _fixed(json.dumps(_WHOLE).encode(), content_type="application/json"),
    "no_finish_text": _fixed(*_TEXT, DONE),
    "one_index": lambda calls: _calls(calls, ended(), one_index=0),
    "no_index": lambda calls: _calls(calls, ended(), bare=True),
    "bare": lambda calls: _calls([Call("", c.name, c.arguments) for c in calls], ended()),
    "id_once": lambda calls: _calls(calls, ended(), other_ids=True),
    "pieces": lambda calls: _calls(calls, ended(), done=False),
    "raw_surrogates": lambda calls: _calls(calls, ended(), unicode=True),
    "glued": _glued,
    "glued_one_name": lambda calls: _glued(calls, one_name=True),
    "glued_truncated": lambda calls: _glued(calls, lost=3),
    "object": _arguments(dict),
    "empty_arguments": _arguments(""),
    "null_arguments": _arguments(None),
    "no_finish": lambda calls: _calls(calls, DONE),
    "no_finish_close": _calls,
    "close_truncated": lambda calls: _calls(calls, lost=3),
    "length_truncated": lambda calls: _calls(calls, ended("incomplete", **_LIMIT), lost=3),
    "cut_call": lambda calls: _calls(calls, lost=3, cut=True),
    "cut": _fixed(*_OPEN, cut=True),
    "close": _fixed(*_OPEN),
    "html": _fixed(HTML, content_type="text/html; charset=utf-8"),
    "html_as_stream": _fixed(HTML),
    "bad_line": _fixed(*_OPEN, _BAD, ended()),
    "error_object": _fixed(*_OPEN, _ERROR),
    "error_body": _fixed(_ERROR_BODY, content_type="application/json"),
    "empty": _fixed(START, DONE),
    "empty_body": _fixed(),
    "filtered": _fixed(*_OPEN, ended("incomplete", **_FILTER)),
    "failed": _fixed(*_OPEN, ended("failed", **_FAILED)),
    "cancelled": _fixed(*_OPEN, ended("completed", status="cancelled")),
    "listed": _listed,
    "other_types": _other_types,
}
