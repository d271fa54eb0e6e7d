"""A WebSocket client of the gateway application within the test process."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from tests.channels_app.gateway.client import TIMEOUT, Frame, GatewayClient


class Refused(Exception):
    """The upgrade was answered with HTTP 403."""

    def __init__(self, code: int) -> None:
        super().__init__(f"refused with {code}")
        self.code = code


class AsgiSocket(GatewayClient):
    """One connection to an ASGI application."""

    def __init__(
        self, application: Any, *, headers: dict[str, str], client: str, path: str
    ) -> None:
        super().__init__()
        self._application = application
        self._scope = {
            "type": "websocket",
            "path": path,
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
            "client": [client, 50_000],
            "subprotocols": [],
        }
        self._to_app: asyncio.Queue[Frame] = asyncio.Queue()
        self._from_app: asyncio.Queue[Frame] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> AsgiSocket:
        """Upgrades and reads the challenge. Raises Refused."""
        self._task = asyncio.create_task(
            self._application(self._scope, self._to_app.get, self._from_app.put)
        )
        await self._to_app.put({"type": "websocket.connect"})
        message = await self._message()
        if message["type"] == "websocket.close":
            raise Refused(message["code"])
        assert message["type"] == "websocket.accept"
        frame = await self.frame()
        assert frame["event"] == "connect.challenge"
        self.challenge = frame["payload"]
        return self

    async def send(self, text: str) -> None:
        """Sends one text frame as it stands."""
        await self._to_app.put({"type": "websocket.receive", "text": text})

    async def frame(self) -> Frame:
        """The next frame. Raises ConnectionError when the socket is closed instead."""
        message = await self._message()
        if message["type"] == "websocket.close":
            self.close_code, self.close_reason = message["code"], message.get("reason", "")
            raise ConnectionError(f"closed with {self.close_code}")
        found: Frame = orjson.loads(message["text"])
        return found

    async def _message(self) -> Frame:
        return await asyncio.wait_for(self._from_app.get(), TIMEOUT)

    async def leave(self) -> None:
        """The client goes away."""
        if self._task is None or self._task.done():
            return
        await self._to_app.put({"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self._task, TIMEOUT)
