"""One socket's view of one session."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from channels_app.gateway.connection import Connection, Flavour
from channels_app.gateway.hub.frame import Frame
from channels_app.gateway.hub.positions import Position

# Frames kept while it is not clear yet whether the socket may see them.
_MOST_HELD = 2000


@dataclass(eq=False, slots=True)
class Watch:
    """Sends frames of a session to a socket, or holds them back for a moment.

    `alias` is the session key as the client wrote it. Until `confirmed` nobody has checked that
    the session is the caller's: nothing is sent. `hold` keeps frames behind an answer that must
    be sent first.
    """

    connection: Connection
    alias: str
    is_reader: bool = False
    confirmed: bool = False
    checking: bool = False
    _holds: int = 0
    _held: deque[tuple[Frame, Position | None]] = field(default_factory=deque)

    @property
    def group(self) -> tuple[Flavour, str]:
        """Watches of one group get the same frames."""
        return self.connection.flavour, self.alias

    def put(self, frame: Frame, position: Position | None = None) -> None:
        """Sends `frame`, or keeps it until the watch is confirmed and released."""
        if frame.audience == "readers" and not self.is_reader:
            return
        if self.confirmed and not self._holds:
            self._send(frame)
        elif len(self._held) < _MOST_HELD or not frame.droppable:
            self._held.append((frame, position))

    def replay(self, frames: Iterable[Frame], last: Position | None) -> None:
        """Puts frames of the past, the newest at `last`, before what is held back; what is held
        of the same time is dropped. Only while held."""
        later = [
            (frame, position)
            for frame, position in self._held
            if position is None or position.is_after(last)
        ]
        self._held.clear()
        for frame in frames:
            self.put(frame)
        self._held.extend(later)

    def hold(self) -> None:
        """Keeps everything back until `release` was called as often."""
        self._holds += 1

    def release(self) -> None:
        """Undoes one `hold`."""
        self._holds -= 1
        self._flush()

    def confirm(self) -> None:
        """The session is the caller's."""
        self.confirmed = True
        self._flush()

    def _flush(self) -> None:
        while self._held and self.confirmed and not self._holds:
            self._send(self._held.popleft()[0])

    def _send(self, frame: Frame) -> None:
        if frame.ends and not self.connection.end_run(frame.ends):
            return
        self.connection.event(frame.head, droppable=frame.droppable)
