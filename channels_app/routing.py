"""Which WebSocket paths there are: the gateway at `/` and `/ws`, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from channels_app.gateway.handshake import Receive
from channels_app.gateway.socket import GatewaySocket, socket_refuse
from channels_app.gateway.transport import Send

PATHS = frozenset({"/", "/ws", "/ws/", ""})

gateway_socket = GatewaySocket()


async def websocket_application(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application for WebSockets. Sign-in is the gateway's own, so there is no
    middleware around it."""
    serve = gateway_socket if scope["path"] in PATHS else socket_refuse
    await serve(scope, receive, send)
