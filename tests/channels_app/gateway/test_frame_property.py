"""Whatever a client sends, the parser answers with a request or with FrameInvalid."""

from __future__ import annotations

import json
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from channels_app.gateway.frames import FrameInvalid, Request, answer_error, request_parse
from channels_app.gateway.handshake_params import ConnectParams
from channels_app.gateway.registry import METHODS
from channels_app.gateway.validation import error_text

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner),
    max_leaves=20,
)
FRAMES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["req", "res", "event"]) | JSON,
        "id": st.text(max_size=300) | JSON,
        "method": st.sampled_from(["health", "chat.send", ""]) | JSON,
        "params": JSON,
        "extra": JSON,
    },
)


def _parse(text: str) -> Request | FrameInvalid:
    try:
        return request_parse(text)
    except FrameInvalid as error:
        return error


def test_it_works() -> None:
    found = _parse('{"type":"req","id":"1","method":"health"}')
    assert isinstance(found, Request)
    assert found.method == "health"


@given(st.text())
def test_any_text(text: str) -> None:
    found = _parse(text)
    if isinstance(found, FrameInvalid):
        assert orjson.loads(answer_error(found.request_id, {"message": found.message}))


@given(FRAMES)
def test_any_frame(frame: dict[str, Any]) -> None:
    found = _parse(json.dumps(frame))
    if isinstance(found, Request):
        assert set(frame) <= {"type", "id", "method", "params"}
        assert (found.id, found.method) == (frame["id"], frame["method"])
    else:
        assert orjson.loads(answer_error(found.request_id, {"message": found.message}))


def _faults(model: type[BaseModel], value: Any) -> str:
    """What is wrong with `value`, "at" for nothing."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        return error_text(error)
    return "at "


@given(st.sampled_from(METHODS.names()), JSON)
def test_any_params(name: str, params: Any) -> None:
    assert _faults(METHODS.get(name).params, params).startswith("at ")


@given(JSON)
def test_any_connect(params: Any) -> None:
    assert _faults(ConnectParams, params).startswith("at ")
