"""A program inside a container and its input and output, through the engine's own connection.

Every program begins by waiting for a line and answering with a mark: what an engine sends together
with the head of its answer is lost in the client's buffer, so nothing may come that early.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

# Put in front of every script. One stream for both: of two, engines lose the end of the second.
START = "IFS= read -r go || exit 1; exec 2>&1; printf '\\002'\n"
_MARK = b"\x02"
_READ_BYTES = 64 * 1024
# Seconds to wait for a program that has closed its output to be seen as ended.
_END_SECONDS = 5.0


class ExecStream:
    """One program. Blocking; for one thread that reads and one that writes.

    `argv` must run a script that begins with START. Raises what the engine's client raises.
    """

    def __init__(
        self,
        api: Any,
        container: str,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        tty: bool = False,
    ) -> None:
        self._api = api
        self._tty = tty
        made = api.exec_create(
            container, list(argv), stdin=True, tty=tty, environment=dict(environment or {})
        )
        self.id: str = made["Id"]
        # The answer owns the connection and must live as long.
        self._answer = api.exec_start(self.id, socket=True, tty=tty)
        self._raw: socket.socket = getattr(self._answer, "_sock", self._answer)
        self._raw.settimeout(None)
        self._buffer = b""
        self._marked = False
        self._over = False
        self.send(b"go\n")

    def send(self, data: bytes) -> bool:
        """Gives it input; False when it takes no more."""
        try:
            self._raw.sendall(data)
        except OSError:
            return False
        return True

    def end_input(self) -> None:
        """Says that no more input comes."""
        with suppress(OSError):
            self._raw.shutdown(socket.SHUT_WR)

    def read(self, seconds: float | None = None) -> bytes | None:
        """The next output of both streams; b"" when nothing came in time, None at the end."""
        while not self._over:
            data = self._taken()
            if data:
                return data
            if not self._waited(seconds):
                return b""
            received = self._raw.recv(_READ_BYTES)
            self._over = not received
            self._buffer += received
        return self._taken() or None

    def chunks(self) -> Iterator[bytes]:
        """All of the output until its end."""
        while (data := self.read()) is not None:
            yield data

    def code(self) -> int | None:
        """Its exit code; None while it runs."""
        facts = self._api.exec_inspect(self.id)
        return None if facts.get("Running") else facts.get("ExitCode")

    def ended(self, seconds: float = _END_SECONDS) -> int | None:
        """Waits for its end and returns the exit code; None when it did not come in time."""
        until = time.monotonic() + seconds
        while (code := self.code()) is None and time.monotonic() < until:
            time.sleep(0.02)
        return code

    def resize(self, rows: int, columns: int) -> None:
        """Tells a terminal its size."""
        self._api.exec_resize(self.id, height=rows, width=columns)

    def close(self) -> None:
        """Lets go of the connection; the program may go on."""
        with suppress(OSError):
            self._answer.close()
        with suppress(OSError):
            self._raw.close()

    def _waited(self, seconds: float | None) -> bool:
        pending = getattr(self._raw, "pending", None)
        if pending is not None and pending():
            return True
        return bool(select.select([self._raw], [], [], seconds)[0])

    def _taken(self) -> bytes:
        """The whole frames that have arrived, without what came before the mark."""
        data = self._buffer if self._tty else b"".join(self._frames())
        if self._tty:
            self._buffer = b""
        if self._marked or not data:
            return data
        _before, mark, after = data.partition(_MARK)
        self._marked = bool(mark)
        return after

    def _frames(self) -> Iterator[bytes]:
        # Each begins with its stream, three zeros and its length in four bytes.
        while len(self._buffer) >= 8:
            length = int.from_bytes(self._buffer[4:8], "big")
            if len(self._buffer) < 8 + length:
                return
            yield self._buffer[8 : 8 + length]
            self._buffer = self._buffer[8 + length :]
