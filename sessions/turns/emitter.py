"""Shows a running turn to whoever watches: records in order, text in small batches."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from agents.core.messages import now_ms
from sessions.failpoints import failpoint
from sessions.live import Emission, records_emit

# design 4: the first piece goes at once, then at most one batch in this time.
BATCH_SECONDS = 0.03
# Characters in one record: what is made of it must fit into a frame of every client.
_LONGEST_PIECE = 250_000


class Emitter:
    """Numbers and sends the live records of one run. Belongs to one event loop. Never raises.

    Records are sent by a task of its own, so that a slow Redis does not slow the model stream;
    `drain` waits until all have gone.
    """

    def __init__(
        self,
        *,
        session_id: str,
        run: str,
        wire: str,
        key: str,
        agent: str,
        fence: int,
        seq: int = 0,
    ) -> None:
        self.seq = seq
        self._session_id = session_id
        self._base = {"run": run, "wire": wire, "key": key, "agent": agent, "fence": fence}
        self._queue: deque[Emission] = deque()
        self._sender: asyncio.Task[None] | None = None
        self._kind = "text"
        self._pieces: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._last_piece = 0.0

    def emit(self, kind: str, *, change: str = "", value: str = "", **data: Any) -> None:
        """Queues a record; text that came before it goes first."""
        self.flush_text()
        self._put(kind, data, change, value)

    def emit_apart(self, record: dict[str, Any]) -> None:
        """Queues a record that belongs to the session, but not to this run."""
        self.flush_text()
        self._queue.append(({**record, "ts": now_ms()}, "", ""))
        self._start_sender()

    def text(self, delta: str) -> None:
        """Adds a piece of the answer's text."""
        self._piece("text", delta)

    def thinking(self, delta: str) -> None:
        """Adds a piece of the reasoning."""
        self._piece("thinking", delta)

    def flush_text(self) -> None:
        """Queues the text or reasoning gathered so far."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._pieces:
            return
        delta = "".join(self._pieces)
        self._pieces.clear()
        self._last_piece = asyncio.get_running_loop().time()
        change = "text" if self._kind == "text" else ""
        for start in range(0, len(delta), _LONGEST_PIECE):
            part = delta[start : start + _LONGEST_PIECE]
            self._put(self._kind, {"d": part}, change, part)
        failpoint("streaming")

    def _piece(self, kind: str, delta: str) -> None:
        if kind != self._kind:
            self.flush_text()
            self._kind = kind
        self._pieces.append(delta)
        if self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._last_piece + BATCH_SECONDS - loop.time()
        if wait <= 0:
            self.flush_text()
        else:
            self._timer = loop.call_later(wait, self.flush_text)

    async def drain(self) -> None:
        """Returns when everything queued was sent (or could not be)."""
        self.flush_text()
        while self._sender is not None:
            await asyncio.shield(self._sender)

    def _put(self, kind: str, data: dict[str, Any], change: str, value: str) -> None:
        self.seq += 1
        record = {"t": kind, **self._base, "seq": self.seq, "ts": now_ms(), **data}
        self._queue.append((record, change, value))
        self._start_sender()

    def _start_sender(self) -> None:
        if self._sender is None:
            self._sender = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._queue:
                records = list(self._queue)
                self._queue.clear()
                await records_emit(session_id=self._session_id, records=records)
        finally:
            self._sender = None
