"""Sockets of the gateway application within the test process, on a real Redis and database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from agents.config.services import config_apply
from agents.core.messages import now_ms
from agents.database import run_db
from channels_app.gateway.hub.hub import hub_current
from channels_app.gateway.limits import Limits
from channels_app.gateway.socket import GatewaySocket
from tests.channels_app.gateway.asgi_client import AsgiSocket
from tests.channels_app.gateway.device import Device
from tests.channels_app.gateway.params import HOST, connect_params
from tests.platform.redis_server import RedisServer


class Door:
    """Opens sockets; all are closed at the end of the test."""

    def __init__(self) -> None:
        self.application = GatewaySocket()
        self._open: list[AsgiSocket] = []

    def limit(self, **limits: Any) -> None:
        """Other limits for the sockets that are opened from now on."""
        self.application = GatewaySocket(Limits(**limits))

    async def open(
        self,
        *,
        origin: str | None = None,
        cookie: str = "",
        client: str = "127.0.0.1",
        host: str = HOST,
        headers: dict[str, str] | None = None,
        path: str = "/",
        application: Any = None,
    ) -> AsgiSocket:
        """An upgraded socket that has not said who it is."""
        sent = {"Host": host, **(headers or {})}
        if origin is not None:
            sent["Origin"] = origin
        if cookie:
            sent["Cookie"] = cookie
        socket = AsgiSocket(application or self.application, headers=sent, client=client, path=path)
        self._open.append(socket)
        return await socket.open()

    async def connect(self, *, device: Device | None = None, **changes: Any) -> AsgiSocket:
        """A socket after hello-ok; `hello` is its payload."""
        upgrade = {
            name: changes.pop(name)
            for name in ("origin", "cookie", "client", "host", "headers")
            if name in changes and not isinstance(changes[name], dict)
        }
        socket = await self.open(**upgrade)
        params = connect_params(**changes)
        if device is not None:
            nonce = socket.challenge["nonce"]
            params = device.sign(params, nonce=nonce, signed_at=now_ms())
        socket.hello = await socket.call("connect", params)
        return socket

    async def page(self, cookie: str, **changes: Any) -> AsgiSocket:
        """A socket as our chat page opens it."""
        client = {"id": "webchat-ui", "version": "1", "platform": "web", "mode": "webchat"}
        caps = ["tool-events", "resume", "rendered-html"]
        page = {"client": client, "auth": {}, "caps": caps, "scopes": None, **changes}
        socket = await self.open(origin=f"http://{HOST}", cookie=cookie)
        params = {k: v for k, v in connect_params(**page).items() if v is not None}
        socket.hello = await socket.call("connect", params)
        return socket

    async def close(self) -> None:
        """Closes everything."""
        for socket in self._open:
            await socket.leave()
        await hub_current().stop()


async def configure(document: dict[str, Any]) -> None:
    """Applies the `gateway` section of the configuration document."""
    text = orjson.dumps({"gateway": document}).decode()
    report = await run_db(config_apply, text=text, author="test")
    assert report.ok, report


@pytest.fixture
async def door(transactional_db: None, clean_redis: RedisServer) -> AsyncIterator[Door]:
    """Opens sockets on an empty database and an empty Redis."""
    opened = Door()
    yield opened
    await opened.close()
