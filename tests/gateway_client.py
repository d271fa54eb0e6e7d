"""A client of the control WebSocket for tests: protocol 4, the shared token."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

ENDS = ("final", "aborted", "error")
SCOPES = ["operator.admin", "operator.read", "operator.write"]
# Longer than any turn of a test on a busy machine.
PATIENCE = 40.0


class RequestRefused(Exception):
    """An answer with ok false. `error` is its body."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.error = error


@dataclass(frozen=True)
class Ended:
    """How a run id ended. `deltas` is the text that was streamed for it on this client."""

    run: str
    state: str
    text: str
    deltas: str
    payload: dict[str, Any]


class GatewayClient:
    """One operator. Belongs to one event loop; keeps every event it ever saw in `events`."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token
        self.hello: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self._ids = itertools.count(1)
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    async def connect(self) -> GatewayClient:
        """Opens the socket and says who we are."""
        self._socket = await connect(
            self.url, max_size=None, compression=None, ping_interval=None, proxy=None
        )
        await self._socket.recv()
        self._reader = asyncio.create_task(self._read(self._socket))
        client = {"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"}
        self.hello = await self.request(
            "connect",
            {
                "minProtocol": 4,
                "maxProtocol": 4,
                "client": client,
                "role": "operator",
                "scopes": SCOPES,
                "caps": ["tool-events"],
                "auth": {"token": self.token},
            },
        )
        return self

    async def close(self) -> None:
        """Closes the socket; events stay."""
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await self._reader

    async def reconnect(self) -> None:
        """A new socket, as after a lost connection; tries until the gateway takes it."""
        await self.close()
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while True:
            try:
                await self.connect()
                return
            except (OSError, WebSocketException):
                assert asyncio.get_running_loop().time() < deadline, "no gateway to connect to"
                await asyncio.sleep(0.1)

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The payload of the answer. Raises RequestRefused, or ConnectionError without one."""
        assert self._socket is not None
        number = str(next(self._ids))
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        frame = {"type": "req", "id": number, "method": method, "params": params or {}}
        try:
            await self._socket.send(orjson.dumps(frame).decode())
            found = await asyncio.wait_for(answer, PATIENCE)
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from error
        finally:
            self._answers.pop(number, None)
        if not found.get("ok"):
            raise RequestRefused(found.get("error") or {})
        payload: dict[str, Any] = found.get("payload") or {}
        return payload

    async def send(self, session: str, message: str, *, run: str = "", **extra: Any) -> str:
        """chat.send; returns the run id once the message is taken."""
        run = run or str(uuid4())
        fields = {"sessionKey": session, "message": message, "idempotencyKey": run}
        await self.request("chat.send", {**fields, **extra})
        return run

    async def turn(self, session: str, message: str, **extra: Any) -> Ended:
        """Sends a message and waits for its end."""
        return await self.ended(await self.send(session, message, **extra))

    async def ended(self, run: str) -> Ended:
        """Waits for the end of a run id."""
        payload = (await self.until(lambda event: _ends(event, run)))["payload"]
        return Ended(run, payload["state"], text_of(payload), self.deltas(run), payload)

    async def history(self, session: str, **params: Any) -> list[dict[str, Any]]:
        """The rows of chat.history, oldest first."""
        answer = await self.request("chat.history", {"sessionKey": session, **params})
        rows: list[dict[str, Any]] = answer["messages"]
        return rows

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first event, past or future, that is `wanted`."""
        seen = 0
        async with asyncio.timeout(PATIENCE):
            while True:
                for event in self.events[seen:]:
                    if wanted(event):
                        return event
                seen = len(self.events)
                self._news.clear()
                await self._news.wait()

    async def until_streaming(self, run: str) -> None:
        """Returns when some text of `run` has arrived."""
        await self.until(lambda event: bool(_delta(event, run)))

    async def until_tool(self, run: str) -> None:
        """Returns when a tool of `run` was started."""
        await self.until(
            lambda event: (
                event["event"] == "agent"
                and event["payload"]["runId"] == run
                and event["payload"]["stream"] == "tool"
            )
        )

    def ends(self, run: str) -> list[dict[str, Any]]:
        """Every end that was ever shown for a run id."""
        return [event["payload"] for event in self.events if _ends(event, run)]

    def deltas(self, run: str) -> str:
        """The text streamed for a run id; a delta that replaces starts over."""
        text = ""
        for event in self.events:
            delta = _delta(event, run)
            if delta is not None:
                text = delta if event["payload"].get("replace") else text + delta
        return text

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for raw in socket:
                frame = orjson.loads(raw)
                if frame["type"] == "event":
                    self.events.append(frame)
                    self._news.set()
                elif (answer := self._answers.get(frame["id"])) and not answer.done():
                    answer.set_result(frame)
        except ConnectionClosed:
            pass
        finally:
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("the gateway closed the socket"))


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[GatewayClient]:
    """A client for the length of a block."""
    client = GatewayClient(url, token)
    await client.connect()
    try:
        yield client
    finally:
        await client.close()


def text_of(payload: dict[str, Any]) -> str:
    """The text of the message in an event or of a row of the history."""
    message = payload.get("message", payload)
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or [])


def _ends(event: dict[str, Any], run: str) -> bool:
    if event["event"] != "chat" or event["payload"].get("runId") != run:
        return False
    return event["payload"].get("state") in ENDS


def _delta(event: dict[str, Any], run: str) -> str | None:
    if event["event"] != "chat" or event["payload"].get("runId") != run:
        return None
    return event["payload"].get("deltaText") if event["payload"].get("state") == "delta" else None
