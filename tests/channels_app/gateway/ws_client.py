"""A WebSocket client of a running gateway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.channels_app.gateway.client import Frame, GatewayClient
from tests.channels_app.gateway.params import connect_params
from tests.platform.gateway import Gateway

# A whole turn on a loaded machine.
PATIENCE = 60.0


class WsSocket(GatewayClient):
    """One connection over TCP."""

    def __init__(self, connection: ClientConnection) -> None:
        super().__init__()
        self.connection = connection

    async def send(self, text: str) -> None:
        """Sends one text frame as it stands."""
        await self.connection.send(text)

    async def frame(self) -> Frame:
        """The next frame. Raises ConnectionError when the socket is closed instead."""
        try:
            text = await asyncio.wait_for(self.connection.recv(), PATIENCE)
        except ConnectionClosed as error:
            self.close_code = error.rcvd.code if error.rcvd else 1006
            self.close_reason = error.rcvd.reason if error.rcvd else ""
            raise ConnectionError(f"closed with {self.close_code}") from error
        found: Frame = orjson.loads(text)
        return found

    async def end(self, run_id: str) -> dict[str, Any]:
        """The payload of the chat event that ends a run, whatever its state."""
        event = await self.event(
            "chat",
            lambda payload: (
                payload["runId"] == run_id and payload["state"] in ("final", "aborted", "error")
            ),
        )
        found: dict[str, Any] = event["payload"]
        return found

    async def ask(self, key: str, text: str, run_id: str, **params: Any) -> dict[str, Any]:
        """Sends a message and waits for its end."""
        await self.call(
            "chat.send", {"sessionKey": key, "message": text, "idempotencyKey": run_id, **params}
        )
        return await self.end(run_id)


@asynccontextmanager
async def connected(gateway: Gateway, **changes: Any) -> AsyncIterator[WsSocket]:
    """A socket of the running gateway after hello-ok, with the shared token."""
    async with connect(gateway.ws_url, max_size=None, compression=None) as connection:
        socket = WsSocket(connection)
        socket.challenge = (await socket.frame())["payload"]
        params = connect_params(**{"auth": {"token": gateway.token}, **changes})
        socket.hello = await socket.call("connect", params)
        yield socket


def text_of(payload: dict[str, Any]) -> str:
    """The text of a chat event's message, "" without one."""
    content = (payload.get("message") or {}).get("content") or ()
    return "".join(block.get("text", "") for block in content)
