"""Who is connected to this web process (gateway.md 1.3, presence entries)."""

from __future__ import annotations

import platform
import socket
from typing import Any

from agents.core.messages import now_ms
from agents.core.principal import Principal
from channels_app.gateway.connection import Connection
from channels_app.gateway.frames import event_head
from channels_app.gateway.version import VERSION

# gateway.md 1.3: entries in one list.
MOST_ENTRIES = 200


class Presence:
    """The list of connected clients with its version, which grows with each change."""

    def __init__(self, connections: set[Connection]) -> None:
        self._connections = connections
        self._started = now_ms()
        self.version = 1

    def entries(self, principal: Principal) -> list[dict[str, Any]]:
        """The gateway itself, then the clients that `principal` may know of."""
        visible = [
            _entry(connection)
            for connection in self._connections
            if is_shown(connection)
            and (principal.is_owner or connection.principal.id == principal.id)
        ]
        visible.sort(key=lambda entry: entry["ts"], reverse=True)
        return [self._own_entry(), *visible[: MOST_ENTRIES - 1]]

    def changed(self) -> None:
        """Tells everybody who may read; command-line calls come and go without notice."""
        self.version += 1
        heads: dict[str, str] = {}
        for connection in list(self._connections):
            principal = connection.principal
            if not principal.has_scope("operator.read"):
                continue
            who = "" if principal.is_owner else principal.id
            if who not in heads:
                heads[who] = event_head("presence", {"presence": self.entries(principal)})
            connection.event(
                f'{heads[who]},"stateVersion":{{"presence":{self.version},"health":1}}',
                droppable=True,
            )

    def _own_entry(self) -> dict[str, Any]:
        host = socket.gethostname()
        return {
            "host": host,
            "version": VERSION,
            "platform": f"{platform.system()} {platform.release()}".lower(),
            "mode": "gateway",
            "reason": "self",
            "text": f"Gateway: {host}",
            "ts": self._started,
        }


def is_shown(connection: Connection) -> bool:
    """Whether a connection is somebody's presence, and not a program that asks one thing."""
    client = connection.client
    return not {client.id, client.mode} & {"cli", "probe", "backend"}


def _entry(connection: Connection) -> dict[str, Any]:
    client, principal = connection.client, connection.principal
    name = client.display_name or client.id
    entry = {
        "host": name,
        "ip": connection.host,
        "version": client.version,
        "platform": client.platform,
        "deviceFamily": client.device_family,
        "modelIdentifier": client.model_identifier,
        "mode": client.mode,
        "reason": "connect",
        "text": f"{principal.name}: {name}",
        "deviceId": connection.identity.device_id,
        "instanceId": client.instance_id,
        "timeZone": client.time_zone,
    }
    return {
        **{name: value for name, value in entry.items() if value},
        "roles": ["operator"],
        "scopes": list(principal.scopes),
        "ts": connection.connected_at_ms,
    }
