"""A small client of the control WebSocket that notes when what came, and keeps nothing else."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from uuid import uuid4

import orjson
import websockets
from websockets.asyncio.client import ClientConnection, connect

_PROTOCOL = 4
_CLIENT = {"id": "test", "version": "1", "platform": "linux", "mode": "test"}
_ANSWER_SECONDS = 60.0
_ENDS = ("final", "aborted", "error")


class TurnFailed(Exception):
    """A turn ended otherwise than with an answer, or a request was refused."""


@dataclass(slots=True)
class Timing:
    """Seconds after the message was sent; `first_at` is the wall clock of the first delta."""

    acknowledged: float = 0.0
    first: float = 0.0
    final: float = 0.0
    first_at: float = 0.0


class BenchClient:
    """One connection as the owner. Use it as an asynchronous context manager."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._ids = itertools.count(1)
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._runs: dict[str, asyncio.Queue[tuple[float, dict[str, Any]]]] = {}
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> BenchClient:
        self._socket = await connect(
            self._url,
            max_size=None,
            compression=None,
            ping_interval=None,
            open_timeout=60,
            proxy=None,
        )
        await self._socket.recv()
        self._reader = asyncio.create_task(self._read(self._socket))
        await self.request(
            "connect",
            minProtocol=_PROTOCOL,
            maxProtocol=_PROTOCOL,
            client=_CLIENT,
            auth={"token": self._token},
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for raw in socket:
                self._take(orjson.loads(raw))
        except websockets.ConnectionClosed:
            pass
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(TurnFailed("the gateway closed the connection"))

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "res":
            waiting = self._answers.get(frame["id"])
            if waiting is not None and not waiting.done():
                waiting.set_result(frame)
        elif frame.get("event") == "chat":
            events = self._runs.get(frame["payload"].get("runId"))
            if events is not None:
                events.put_nowait((time.perf_counter(), frame["payload"]))

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The payload of the answer. Raises TurnFailed when the gateway refuses."""
        assert self._socket is not None
        name = str(next(self._ids))
        waiting = self._answers[name] = asyncio.get_running_loop().create_future()
        frame = {"type": "req", "id": name, "method": method, "params": params}
        await self._socket.send(orjson.dumps(frame).decode())
        try:
            answer = await asyncio.wait_for(waiting, _ANSWER_SECONDS)
        finally:
            del self._answers[name]
        if not answer["ok"]:
            raise TurnFailed(f"{method}: {answer['error']['message']}")
        payload: dict[str, Any] = answer.get("payload") or {}
        return payload

    async def send(self, session_key: str, message: str, run_id: str = "") -> None:
        """Hands a message over and returns when it was acknowledged."""
        run_id = run_id or uuid4().hex
        await self.request(
            "chat.send", sessionKey=session_key, message=message, idempotencyKey=run_id
        )

    async def turn(self, session_key: str, message: str) -> Timing:
        """Sends a message and waits for the end of its run. Raises TurnFailed without an answer."""
        run_id, timing = uuid4().hex, Timing()
        events = self._runs[run_id] = asyncio.Queue()
        start = time.perf_counter()
        sending = asyncio.create_task(self._send_timed(session_key, message, run_id, timing))
        following = asyncio.create_task(self._follow(events, start, timing))
        try:
            # A refused message has no events: whichever fails first ends the other.
            await asyncio.gather(sending, following)
        finally:
            del self._runs[run_id]
            sending.cancel()
            following.cancel()
        return timing

    async def _send_timed(self, key: str, message: str, run_id: str, timing: Timing) -> None:
        start = time.perf_counter()
        await self.send(key, message, run_id)
        timing.acknowledged = time.perf_counter() - start

    async def _follow(
        self, events: asyncio.Queue[tuple[float, dict[str, Any]]], start: float, timing: Timing
    ) -> None:
        while True:
            at, payload = await asyncio.wait_for(events.get(), _ANSWER_SECONDS)
            if payload["state"] == "delta" and not timing.first:
                timing.first, timing.first_at = at - start, time.time()
            if payload["state"] in _ENDS:
                timing.final = at - start
                if payload["state"] != "final":
                    raise TurnFailed(f"{payload['state']}: {payload.get('errorMessage')}")
                return


def session_key(name: str) -> str:
    """A new session of the default agent."""
    return f"agent:main:{name}-{uuid4().hex[:8]}"
