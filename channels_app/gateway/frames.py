"""The frames of the protocol: one JSON object each, strict in what is accepted."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, ValidationError

from channels_app.gateway.validation import Params, error_text

# The id of an answer to a frame whose own id cannot be read.
NO_ID = "invalid"
_LONGEST_ID = 256

Name = Annotated[str, Field(min_length=1, max_length=128)]


class Request(Params):
    """A call. `params` is checked against the method's own model later."""

    type: Literal["req"]
    id: Annotated[str, Field(min_length=1, max_length=_LONGEST_ID)]
    method: Name
    params: Any = None
    traceparent: Annotated[str, Field(max_length=128)] | None = None
    expected_profile_id: Name | None = None


class FrameInvalid(Exception):
    """A frame that is no request. `request_id` is its id as far as it could be read."""

    def __init__(self, request_id: str, message: str, *, is_json: bool) -> None:
        super().__init__(message)
        self.request_id = request_id
        self.message = message
        self.is_json = is_json


def request_parse(text: str) -> Request:
    """The request in `text`. Raises FrameInvalid for everything else, and nothing but that."""
    try:
        return Request.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]["type"]
        is_json = found != "json_invalid"
        reason = error_text(error) if is_json else "not a JSON object"
        raise FrameInvalid(
            _id_of(text) if is_json else NO_ID, f"invalid request frame: {reason}", is_json=is_json
        ) from None


def _id_of(text: str) -> str:
    try:
        frame = orjson.loads(text)
    except orjson.JSONDecodeError:
        return NO_ID
    found = frame.get("id") if isinstance(frame, dict) else None
    return found if isinstance(found, str) and 0 < len(found) <= _LONGEST_ID else NO_ID


def dumps(value: Any) -> str:
    """JSON text of a frame or a part of one."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()


def answer_ok(request_id: str, payload: Any) -> str:
    """The frame of a successful answer."""
    return dumps({"type": "res", "id": request_id, "ok": True, "payload": payload})


def answer_error(request_id: str, error: dict[str, Any]) -> str:
    """The frame of a failed answer."""
    return dumps({"type": "res", "id": request_id, "ok": False, "error": error})


def event_head(event: str, payload: Any) -> str:
    """An event frame without its end: the connection's own number is appended when it is sent."""
    return dumps({"type": "event", "event": event, "payload": payload})[:-1]
