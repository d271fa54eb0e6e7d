"""What a socket needs and ASGI does not offer: close reasons, and what the network still owes.

daphne hands applications a `send` that is bound to its protocol object; there a frame is written
without waiting, so the bytes that a slow client has not taken can only be read from the transport.
Other servers wait inside `send` instead, and their buffers stay small.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

Send = Callable[[Mapping[str, Any]], Awaitable[None]]
# RFC 6455 5.5: a control frame has 125 bytes, two of which are the close code.
_LONGEST_REASON = 123


class Transport:
    """One WebSocket. Sending to a socket that is gone does nothing."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._protocol = _daphne_protocol(send)

    async def accept(self) -> None:
        """Answers the upgrade."""
        await self._send({"type": "websocket.accept"})

    async def text(self, text: str) -> None:
        """Sends one text frame."""
        await self._send({"type": "websocket.send", "text": text})

    async def close(self, code: int, reason: str = "") -> None:
        """Closes with a code and a reason of at most 123 bytes."""
        text = reason.encode()[:_LONGEST_REASON].decode("utf-8", "ignore")
        if self._protocol is not None:
            # What daphne calls for a close knows no reason and refuses the codes below 3000.
            self._protocol.sendCloseFrame(code=code, reasonUtf8=text.encode())
            return
        await self._send({"type": "websocket.close", "code": code, "reason": text})

    def backlog(self) -> int:
        """Bytes that were written and that the network has not taken yet; 0 when unknown."""
        transport = getattr(self._protocol, "transport", None)
        waiting = len(getattr(transport, "dataBuffer", b"")) - getattr(transport, "offset", 0)
        return max(0, waiting) + int(getattr(transport, "_tempDataLen", 0))

    def limit_messages(self, size: int) -> None:
        """Refuses larger frames before they are read into memory, where the server can."""
        if self._protocol is not None:
            self._protocol.maxMessagePayloadSize = size
            self._protocol.maxFramePayloadSize = size
            # Otherwise the connection is cut without a code that tells the client why.
            self._protocol.failByDrop = False


def _daphne_protocol(send: Send) -> Any:
    protocol = send.args[0] if isinstance(send, partial) and send.args else None
    return protocol if hasattr(protocol, "sendCloseFrame") else None
