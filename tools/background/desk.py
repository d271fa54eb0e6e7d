"""The runner's socket: takes one request a connection. Standard library only."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable
from contextlib import suppress

_READ_BYTES = 64 * 1024
_IN = select.POLLIN | select.POLLHUP | select.POLLERR
_NAME = "s"


class Desk:
    """Listens in the working folder; `answer` gets each request and says what came of it.

    A request ends where its sender closes that direction, or after `most_bytes`.
    """

    def __init__(
        self, poll: select.poll, answer: Callable[[bytes], str], *, most_bytes: int
    ) -> None:
        self._poll = poll
        self._answer = answer
        self._most_bytes = most_bytes
        self._clients: dict[int, tuple[socket.socket, bytearray]] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(_NAME)
        self._listener.listen(8)
        self._listener.setblocking(False)
        poll.register(self._listener.fileno(), _IN)

    def handle(self, descriptor: int) -> None:
        """Something happened at one of the sockets."""
        if descriptor == self._listener.fileno():
            self._accept()
        elif descriptor in self._clients:
            self._serve(descriptor)

    def close(self) -> None:
        """Takes the name out of the folder; whoever asks now gets no connection."""
        with suppress(OSError):
            os.unlink(_NAME)  # noqa: PTH108 - pathlib takes long to import

    def _accept(self) -> None:
        with suppress(OSError):
            client = self._listener.accept()[0]
            client.setblocking(False)
            self._clients[client.fileno()] = (client, bytearray())
            self._poll.register(client.fileno(), _IN)

    def _serve(self, descriptor: int) -> None:
        client, request = self._clients[descriptor]
        try:
            data = client.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        request += data
        if data and len(request) <= self._most_bytes:
            return
        self._poll.unregister(descriptor)
        del self._clients[descriptor]
        with suppress(OSError):
            client.send(self._answer(bytes(request)).encode())
        client.close()
