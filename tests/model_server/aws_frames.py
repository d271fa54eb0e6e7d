"""AWS's event-stream encoding, written by its specification (vnd.amazon.eventstream)."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

_STRING = 7


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One message: lengths, checksum, headers, payload, checksum."""
    packed = b"".join(
        struct.pack("!B", len(name))
        + name.encode()
        + struct.pack("!BH", _STRING, len(value.encode()))
        + value.encode()
        for name, value in headers.items()
    )
    total = 4 + 4 + 4 + len(packed) + len(payload) + 4
    prelude = struct.pack("!II", total, len(packed))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + packed + payload
    return message + struct.pack("!I", zlib.crc32(message))


def chunk(data: bytes) -> bytes:
    """An event of the answer."""
    headers = {
        ":event-type": "chunk",
        ":content-type": "application/json",
        ":message-type": "event",
    }
    body = {"bytes": base64.b64encode(data).decode(), "p": "abcdefgh"}
    return frame(headers, json.dumps(body).encode())


def exception(name: str, message: str) -> bytes:
    """An exception in the middle of an answer."""
    headers = {
        ":exception-type": name,
        ":content-type": "application/json",
        ":message-type": "exception",
    }
    return frame(headers, json.dumps({"message": message}).encode())


def frames_of(events: Iterable[bytes]) -> Iterator[bytes]:
    """Server-sent events of the Messages format in AWS's frames."""
    for block in b"".join(events).replace(b"\r\n", b"\n").split(b"\n\n"):
        fields = [line.partition(b": ") for line in block.split(b"\n")]
        data = b"\n".join(value for name, _, value in fields if name == b"data")
        if any(value == b"error" for name, _, value in fields if name == b"event"):
            error: dict[str, Any] = json.loads(data)["error"]
            yield exception("serviceUnavailableException", error["message"])
        elif data:
            yield chunk(data)
