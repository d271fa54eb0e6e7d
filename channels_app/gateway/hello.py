"""The answer to a successful connect (gateway.md 1.3)."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings

from agents.core.principal import ADMIN
from agents.database import run_db
from agents.selectors import default_agent_slug
from channels_app.config_section import gateway_settings
from channels_app.gateway.connection import Connection
from channels_app.gateway.hub.hub import Hub
from channels_app.gateway.registry import METHODS
from channels_app.gateway.version import VERSION
from sessions.keys import main_key

# Only what this gateway really sends.
EVENTS = (
    "connect.challenge",
    "agent",
    "chat",
    "presence",
    "tick",
    "shutdown",
    "session.message",
    "session.queue",
    "sessions.changed",
    "exec.approval.requested",
    "exec.approval.resolved",
)
CAPABILITIES = ("resume", "in-flight-run", "merged-finals")
_STARTED = time.monotonic()


def uptime_ms() -> int:
    """Milliseconds since this process began."""
    return int((time.monotonic() - _STARTED) * 1000)


async def hello_payload(connection: Connection, hub: Hub) -> dict[str, Any]:
    """Everything a client must know before its first request."""
    limits = connection.limits
    payload: dict[str, Any] = {
        "type": "hello-ok",
        "protocol": connection.protocol,
        "server": {"version": VERSION, "connId": connection.id},
        "features": {"methods": METHODS.names(), "events": list(EVENTS)},
        "snapshot": await _snapshot(connection, hub),
        "policy": {
            "maxPayload": limits.max_payload,
            "maxBufferedBytes": limits.max_buffered,
            "tickIntervalMs": limits.tick_interval_ms,
        },
    }
    auth = _auth(connection)
    if connection.protocol >= 4:
        payload["features"]["capabilities"] = list(CAPABILITIES)
        payload["policy"]["attachments"] = {
            "maxBytes": limits.attachment_bytes,
            "maxImageBytes": limits.attachment_image_bytes,
        }
        payload["auth"] = {"method": connection.identity.method, **auth}
    elif connection.identity.device_token:
        payload["auth"] = auth
    return payload


def _auth(connection: Connection) -> dict[str, Any]:
    identity = connection.identity
    auth: dict[str, Any] = {"role": "operator", "scopes": list(identity.principal.scopes)}
    if identity.device_token:
        auth |= {"deviceToken": identity.device_token, "issuedAtMs": identity.issued_at_ms}
    return auth


def _auth_mode() -> str:
    return "none" if gateway_settings().auth.mode == "none" else "token"


async def _snapshot(connection: Connection, hub: Hub) -> dict[str, Any]:
    principal = connection.principal
    agent = await run_db(default_agent_slug)
    # design 12: everybody but an owner talks in sessions of the web namespace.
    own_key = main_key(agent) if principal.is_owner else f"agent:{agent}:web:{principal.id}"
    snapshot: dict[str, Any] = {
        "presence": hub.presence.entries(principal),
        "health": {},
        "stateVersion": {"presence": hub.presence.version, "health": 1},
        "uptimeMs": uptime_ms(),
        "sessionDefaults": {
            "defaultAgentId": agent,
            "mainKey": "main",
            "mainSessionKey": own_key,
            "scope": "per-sender",
        },
        "authMode": await run_db(_auth_mode),
    }
    if principal.has_scope(ADMIN):
        snapshot["stateDir"] = str(settings.OPENCLAW.home)
    return snapshot
