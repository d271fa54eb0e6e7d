"""Server-sent events out of bytes.

Both vendors' libraries have a decoder, but theirs hide whether the end mark came, stop at the
first odd line and cost three nested generators per event.
"""

from __future__ import annotations

from collections.abc import Iterator


class SseDecoder:
    """Fed with chunks of any size; gives (event name or "", data) for each finished event.

    Comments, ids and retry times are passed over, as are events without data.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._event = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[tuple[str, bytes]]:
        """The events that `chunk` completes."""
        lines = (self._buffer + chunk).splitlines(keepends=True)
        # A line that ends in CR may be half of a CRLF.
        if lines and not lines[-1].endswith(b"\n"):
            self._buffer = lines.pop()
        else:
            self._buffer = b""
        for line in lines:
            yield from self._line(line.rstrip(b"\r\n"))

    def flush(self) -> Iterator[tuple[str, bytes]]:
        """What a service left without its closing blank line."""
        rest, self._buffer = self._buffer, b""
        yield from self._line(rest.rstrip(b"\r\n"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[tuple[str, bytes]]:
        if not line:
            data = b"\n".join(self._data)
            event, self._event, self._data = self._event, "", []
            if data.strip():
                yield event, data
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
