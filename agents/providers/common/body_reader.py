"""The body of a response turned into decoded events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents.core.model import ModelEvent, ModelInfo
from agents.providers.common.body import json_decode
from agents.providers.common.decoder import Decoder
from agents.providers.common.sse import SseDecoder
from agents.providers.failures import error_from_body, provider_error

HTML_TEXT = "a web page came back instead of an answer; check the base URL of this provider"


class BodyReader:
    """Tells events, one whole JSON answer and a web page apart, and feeds the decoder.

    The first character decides: an event stream cannot begin with "{" or "<". Content types are
    not trusted; some services send the wrong one.
    """

    def __init__(self, decoder: Decoder) -> None:
        self._model: ModelInfo = decoder.request.model
        self._decoder = decoder
        self._sse = SseDecoder()
        self._whole: bytearray | None = None
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[ModelEvent]:
        """The events that `chunk` completes."""
        if not self._begun and (head := chunk.lstrip()[:1]):
            self._begun = True
            if head == b"<":
                raise provider_error(self._model, HTML_TEXT, reason="timeout")
            if head == b"{":
                self._whole = bytearray()
        if self._whole is not None:
            self._whole += chunk
            return
        for name, data in self._sse.feed(chunk):
            yield from self._event(name, data)

    def flush(self) -> Iterator[ModelEvent]:
        """What the end of the body completes."""
        if self._whole is not None:
            yield from self._decoder.feed_whole(self._parsed(bytes(self._whole)))
            return
        for name, data in self._sse.flush():
            # A connection that broke leaves half a line, which tells nothing.
            if is_json(data):
                yield from self._event(name, data)

    def _event(self, name: str, data: bytes) -> list[ModelEvent]:
        if self._decoder.ended:
            return []
        if data.startswith(b"[DONE]"):
            self._decoder.ended = True
            return []
        value = self._parsed(data)
        if name == "error":
            raise error_from_body(value, self._model)
        return self._decoder.feed(value)

    def _parsed(self, data: bytes) -> dict[str, Any]:
        """The JSON object of an event. Raises ProviderError if it is none or tells of an error."""
        try:
            value = json_decode(data)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            text = "the service sent a line that is not a JSON object"
            raise provider_error(self._model, text, reason="timeout")
        if value.get("error"):
            raise error_from_body(value, self._model)
        return value


def is_json(data: bytes) -> bool:
    """Whether this is a whole JSON value."""
    try:
        json_decode(data)
    except ValueError:
        return False
    return True
