"""The ASGI application: HTTP by Django, WebSockets by the gateway's consumers."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openclaw_site.settings")
django_application = get_asgi_application()

# Channels and the consumers read models: only after Django is set up.
from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.urls import re_path  # noqa: E402


async def refuse_socket(scope: Any, receive: Any, send: Any) -> None:
    """Answers a WebSocket at an unknown path with 403 instead of a traceback."""
    await receive()
    await send({"type": "websocket.close", "code": 4404})


def _socket_routes() -> list[Any]:
    routing = "channels_app.routing"
    routes = import_module(routing).websocket_urlpatterns if find_spec(routing) else []
    # Channels routes by Django's paths, whose type only knows views.
    return [*routes, re_path(r"", cast(Any, refuse_socket))]


application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AuthMiddlewareStack(URLRouter(_socket_routes())),
    }
)
