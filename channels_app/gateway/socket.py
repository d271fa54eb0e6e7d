"""The WebSocket of the gateway, as a plain ASGI application for one connection."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Mapping
from typing import Any

import structlog
from django.conf import settings

from agents.core.messages import now_ms
from channels_app.gateway.attempts import FailureLimit, OpenCount
from channels_app.gateway.connection import Connection
from channels_app.gateway.dispatch import dispatch
from channels_app.gateway.handshake import Greeting, HandshakeEnded, Receive, greet, nonce_make
from channels_app.gateway.hello import hello_payload
from channels_app.gateway.hub.hub import Hub, hub_current
from channels_app.gateway.identity import Upgrade
from channels_app.gateway.limits import LIMITS, Limits
from channels_app.gateway.origin import headers_of, is_local, origin_allowed
from channels_app.gateway.outbox import Outbox
from channels_app.gateway.presence import is_shown
from channels_app.gateway.transport import Send, Transport

log = structlog.get_logger(__name__)

NOT_HERE = 4404
REFUSED = 4403
TOO_MANY = 4429


async def socket_refuse(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """The answer at every other path: HTTP 403 instead of an upgrade."""
    await receive()
    await send({"type": "websocket.close", "code": NOT_HERE, "reason": "no WebSocket here"})


class GatewaySocket:
    """The application. One object serves all connections of a process."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._open = OpenCount(limits.unauthenticated_per_address)
        self._failures = FailureLimit()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Serves one connection until it ends. Refusals before the upgrade are HTTP 403."""
        await receive()
        headers = headers_of(scope["headers"])
        client = scope.get("client")
        address = str(client[0]) if client else "unix"
        if not origin_allowed(
            headers,
            allowed_hosts=settings.ALLOWED_HOSTS,
            trusted_origins=settings.CSRF_TRUSTED_ORIGINS,
        ):
            log.info("gateway.origin_refused", origin=headers.get("origin"), address=address)
            await send({"type": "websocket.close", "code": REFUSED, "reason": "origin not allowed"})
            return
        if not self._open.enter(address):
            await send({"type": "websocket.close", "code": TOO_MANY, "reason": "too many sockets"})
            return
        upgrade = Upgrade(address, is_local(client, headers), headers, nonce_make())
        await self._serve(Transport(send), receive, upgrade)

    async def _serve(self, transport: Transport, receive: Receive, upgrade: Upgrade) -> None:
        try:
            await transport.accept()
            transport.limit_messages(self._limits.max_preauth_payload)
            greeting = await greet(transport, receive, upgrade, self._limits, self._failures)
        except HandshakeEnded as ended:
            if ended.code is not None:
                await transport.close(ended.code, ended.reason)
            return
        finally:
            self._open.leave(upgrade.address)
        transport.limit_messages(self._limits.max_payload)
        await self._converse(greeting, transport, receive, upgrade)

    async def _converse(
        self, greeting: Greeting, transport: Transport, receive: Receive, upgrade: Upgrade
    ) -> None:
        hub = hub_current()
        await hub.start()
        most = self._limits.max_payload
        outbox = Outbox(transport, limit=self._limits.max_buffered, frame_limit=most)
        connection = _connection(greeting, outbox, self._limits, upgrade)
        writer = asyncio.get_running_loop().create_task(outbox.run())
        hub.connections.add(connection)
        try:
            connection.answer(greeting.request_id, await hello_payload(connection, hub))
            hub.ticker.start(self._limits)
            if is_shown(connection):
                hub.presence.changed()
            await _read(connection, hub, receive, self._limits)
        finally:
            hub.forget(connection)
            for task in [writer, *connection.tasks]:
                task.cancel()
            with contextlib.suppress(Exception):
                await asyncio.gather(writer, *connection.tasks, return_exceptions=True)
            if is_shown(connection):
                hub.presence.changed()


async def _read(connection: Connection, hub: Hub, receive: Receive, limits: Limits) -> None:
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return
        if connection.outbox.is_closing:
            continue
        text = message.get("text")
        if text is None:
            text = (message.get("bytes") or b"").decode("utf-8", "replace")
        if len(text) > limits.max_payload:
            connection.outbox.close(1009, "payload too large")
            continue
        dispatch(connection, hub, text)


def _connection(greeting: Greeting, outbox: Outbox, limits: Limits, upgrade: Upgrade) -> Connection:
    params = greeting.params
    return Connection(
        id=str(uuid.uuid4()),
        client=params.client,
        identity=greeting.identity,
        protocol=greeting.protocol,
        caps=frozenset(params.caps),
        limits=limits,
        outbox=outbox,
        connected_at_ms=now_ms(),
        host=upgrade.address,
    )
