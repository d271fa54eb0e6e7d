"""A body of JSON lines turned into decoded events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents.core.model import ModelEvent
from agents.providers.common.body import json_decode
from agents.providers.common.body_reader import HTML_TEXT, BodyReader, is_json
from agents.providers.common.decoder import Decoder
from agents.providers.failures import error_from_body, provider_error

# A line longer than this is no answer: the largest real ones hold one tool call.
MAX_LINE = 16_000_000


class LineReader(BodyReader):
    """One JSON object a line; blank lines are passed over, a web page is recognised."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__(decoder)
        self._target = decoder
        self._rest = b""
        self._seen = False

    def feed(self, chunk: bytes) -> Iterator[ModelEvent]:
        """The events that `chunk` completes."""
        if not self._seen and (head := chunk.lstrip()[:1]):
            self._seen = True
            if head == b"<":
                raise provider_error(self._target.request.model, HTML_TEXT, reason="timeout")
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_LINE:
            raise self._broken()
        for line in lines:
            yield from self._line(line)

    def flush(self) -> Iterator[ModelEvent]:
        """What the end of the body completes; half a line of a broken connection tells nothing."""
        rest, self._rest = self._rest, b""
        if rest.strip() and is_json(rest):
            yield from self._line(rest)

    def _line(self, line: bytes) -> list[ModelEvent]:
        if not line.strip() or self._target.ended:
            return []
        try:
            value: Any = json_decode(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise self._broken()
        if value.get("error"):
            raise error_from_body(value, self._target.request.model)
        return self._target.feed(value)

    def _broken(self) -> Exception:
        text = "the service sent a line that is not a JSON object"
        return provider_error(self._target.request.model, text, reason="timeout")
