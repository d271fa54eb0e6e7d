"""AWS's event stream turned into the server-sent events that are inside it."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import orjson

from agents.providers.common.body import json_decode
from agents.providers.common.exchange import Response

# What each exception would have been as an HTTP error (Bedrock's API reference, ResponseStream).
# The others tell their reason by their name.
_STATUSES = {
    "internalserverexception": 500,
    "modelstreamerrorexception": 500,
    "modeltimeoutexception": 408,
    "serviceunavailableexception": 503,
    "validationexception": 400,
    "accessdeniedexception": 403,
    "resourcenotfoundexception": 404,
}
# A frame begins with its length in four bytes, so none begins with one of these.
_NO_FRAME = (b"{", b"<")


class EventStreamResponse:
    """A response whose body reads as server-sent events.

    A body that is no event stream (a proxy's web page, an answer in one piece) stays as it is.
    Frames that are damaged raise what `botocore` raises, which counts as a broken connection.
    """

    def __init__(self, response: Response) -> None:
        self._response = response

    async def aiter_bytes(self) -> AsyncGenerator[bytes, None]:
        """The events as they arrive."""
        from botocore.eventstream import EventStreamBuffer

        buffer, plain, begun = EventStreamBuffer(), False, False
        async for chunk in self._response.aiter_bytes():
            if not begun and chunk:
                begun, plain = True, chunk.lstrip()[:1] in _NO_FRAME
            if plain:
                yield chunk
                continue
            buffer.add_data(chunk)
            events, fault = _drain(buffer)
            if events:
                yield events
            if fault is not None:
                raise fault

    async def aclose(self) -> None:
        """Frees the connection."""
        await self._response.aclose()


def _drain(buffer: Any) -> tuple[bytes, Exception | None]:
    """What the whole frames in the buffer say, and what is wrong with the one behind them."""
    events: list[bytes] = []
    try:
        events.extend(event_of(frame.headers, frame.payload) for frame in buffer)
    except Exception as error:  # noqa: BLE001 - one class for each way to be damaged
        return b"".join(events), error
    return b"".join(events), None


def event_of(headers: Mapping[str, Any], payload: bytes) -> bytes:
    """The server-sent event of one frame, b"" for one that says nothing about the answer."""
    kind = headers.get(":message-type")
    if kind in ("exception", "error"):
        return _error(headers, payload)
    if headers.get(":event-type") != "chunk":
        return b""
    inner = base64.b64decode(orjson.loads(payload).get("bytes") or "")
    return b"data: " + inner.replace(b"\n", b" ") + b"\n\n" if inner else b""


def _error(headers: Mapping[str, Any], payload: bytes) -> bytes:
    name = str(headers.get(":exception-type") or headers.get(":error-code") or "exception")
    try:
        body: Any = json_decode(payload)
    except ValueError:
        body = {"message": payload.decode("utf-8", "replace")}
    message = body.get("message") or body.get("Message") or headers.get(":error-message") or name
    error: dict[str, Any] = {"type": name, "message": str(message)}
    if (status := _STATUSES.get(name.lower())) is not None:
        error["code"] = status
    return b"event: error\ndata: " + orjson.dumps({"error": error}) + b"\n\n"
