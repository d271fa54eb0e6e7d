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
        self._text: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._last_text = 0.0

    def emit(self, kind: str, *, change: str = "", value: str = "", **data: Any) -> None:
        """Queues a record; text that came before it goes first."""
        self.flush_text()
        self._put(kind, data, change, value)

    def text(self, delta: str) -> None:
        """Adds a piece of the answer's text."""
        self._text.append(delta)
        if self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._last_text + BATCH_SECONDS - loop.time()
        if wait <= 0:
            self.flush_text()
        else:
            self._timer = loop.call_later(wait, self.flush_text)

    def flush_text(self) -> None:
        """Queues the text gathered so far."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._text:
            return
        delta = "".join(self._text)
        self._text.clear()
        self._last_text = asyncio.get_running_loop().time()
        self._put("text", {"d": delta}, "text", delta)
        failpoint("streaming")

    async def drain(self) -> None:
        """Returns when everything queued was sent (or could not be)."""
        self.flush_text()
        while self._sender is not None:
            await asyncio.shield(self._sender)

    def _put(self, kind: str, data: dict[str, Any], change: str, value: str) -> None:
        self.seq += 1
        record = {"t": kind, **self._base, "seq": self.seq, "ts": now_ms(), **data}
        self._queue.append((record, change, value))
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
