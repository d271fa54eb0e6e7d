"""The ASGI application: HTTP by Django, WebSockets by the gateway."""

from __future__ import annotations

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openclaw_site.settings")
django_application = get_asgi_application()

# The gateway reads models: only after Django is set up.
from channels_app.routing import websocket_application  # noqa: E402

# The gateway refuses unknown paths and signs people in itself: there is no middleware around it.
application = ProtocolTypeRouter(
    {"http": django_application, "websocket": websocket_application},
)
