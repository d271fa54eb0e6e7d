"""Reads the body of an answer up to a limit, also when it is packed far smaller than it is."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import httpx

from agents.core.errors import ToolError

ACCEPT_ENCODING = "gzip, deflate"
# What one step of unpacking gives at most.
_STEP = 65_536

Unpack = Callable[[bytes, int], bytes]


async def body_read(response: httpx.Response, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the body, unpacked, and whether there was more.

    Never holds much more than `limit`, whatever the server sends. Raises ToolError for a packing
    that was not asked for or is damaged, httpx.TransportError when the connection fails.
    """
    unpack = _unpacker(response.headers.get("content-encoding", ""))
    body = bytearray()
    async for chunk in response.aiter_raw():
        try:
            body += unpack(chunk, limit + 1 - len(body))
        except zlib.error as error:
            raise ToolError(f"The answer of {response.url.host} is damaged: {error}.") from error
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


def _unpacker(encoding: str) -> Unpack:
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return lambda chunk, room: chunk[:room]
    if encoding in ("gzip", "x-gzip"):
        return _Inflater(zlib.MAX_WBITS | 16).unpack
    if encoding == "deflate":
        return _Inflater(zlib.MAX_WBITS).unpack
    raise ToolError(f"The answer is packed as {encoding[:40]!r}, which was not asked for.")


class _Inflater:
    def __init__(self, window: int) -> None:
        self._window = window
        self._inner = zlib.decompressobj(window)
        self._started = False

    def unpack(self, chunk: bytes, room: int) -> bytes:
        """At most `room` bytes out of `chunk`; what does not fit is not unpacked at all."""
        found = bytearray()
        while chunk and len(found) < room:
            found += self._inflate(chunk, min(_STEP, room - len(found)))
            chunk = self._inner.unconsumed_tail
            if self._inner.eof:
                # A file may be several packed ones after each other; other bytes are padding.
                chunk = self._inner.unused_data
                if not chunk.startswith(b"\x1f\x8b"):
                    break
                self._inner = zlib.decompressobj(self._window)
        return bytes(found)

    def _inflate(self, chunk: bytes, most: int) -> bytes:
        try:
            return self._inner.decompress(chunk, most)
        except zlib.error:
            # Some servers leave out the header that "deflate" should have (RFC 9110, 8.4.1.2).
            if self._started or self._window != zlib.MAX_WBITS:
                raise
            self._window = -zlib.MAX_WBITS
            self._inner = zlib.decompressobj(self._window)
            return self._inner.decompress(chunk, most)
        finally:
            self._started = True
