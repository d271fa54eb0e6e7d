"""Frames on their way to one client, and what happens when it does not take them."""

from __future__ import annotations

import asyncio
from collections import deque

from channels_app.gateway.limits import LIMITS
from channels_app.gateway.transport import Transport

_SLOW = (1008, "slow consumer")
_LARGE = (1009, "an event is larger than maxPayload")
# No character takes more bytes in UTF-8.
_CHAR_BYTES = 4


class Outbox:
    """An ordered queue with one writer task.

    Above `limit` bytes in all, or `frame_limit` in one frame, frames that may be lost are
    dropped; any other frame closes the socket.
    """

    def __init__(
        self, transport: Transport, *, limit: int, frame_limit: int = LIMITS.max_payload
    ) -> None:
        self._transport = transport
        self._limit = limit
        self._frame_limit = frame_limit
        self._queue: deque[str] = deque()
        self._waiting = 0
        self._wake = asyncio.Event()
        self._closing: tuple[int, str] | None = None

    def put(self, text: str, *, droppable: bool = False) -> bool:
        """Queues a frame; False when it was dropped or the socket is about to close."""
        if self._closing is not None:
            return False
        if self._is_large(text):
            if not droppable:
                self.close(*_LARGE, at_once=True)
            return False
        # Characters stand for bytes here: the limit is a guard, not an account.
        if self._waiting + self._transport.backlog() > self._limit:
            if not droppable:
                self.close(*_SLOW, at_once=True)
            return False
        self._queue.append(text)
        self._waiting += len(text)
        self._wake.set()
        return True

    def _is_large(self, text: str) -> bool:
        """Whether the server would refuse to send it, and with it all that follows."""
        if len(text) * _CHAR_BYTES <= self._frame_limit:
            return False
        return len(text.encode()) > self._frame_limit

    def close(self, code: int, reason: str = "", *, at_once: bool = False) -> None:
        """Closes the socket after what is queued; `at_once` forgets the queue."""
        if self._closing is None:
            self._closing = (code, reason)
            if at_once:
                self._queue.clear()
            self._wake.set()

    @property
    def is_closing(self) -> bool:
        """Whether nothing more will be accepted."""
        return self._closing is not None

    async def run(self) -> None:
        """Writes until closed. Ends when the close frame is sent."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                text = self._queue.popleft()
                await self._transport.text(text)
                self._waiting -= len(text)
            if self._closing is not None:
                await self._transport.close(*self._closing)
                return
