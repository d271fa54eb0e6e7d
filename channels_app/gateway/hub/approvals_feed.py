"""exec.approval.requested and .resolved for the sockets that may decide, and for who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from agents.core.principal import APPROVALS
from channels_app.gateway.connection import Connection
from channels_app.gateway.frames import event_head
from sessions.approvals.telling import RESOLVED


class ApprovalsFeed:
    """Carries the news of approvals within this web process. Used on its event loop only."""

    def __init__(self, connections: set[Connection]) -> None:
        self._connections = connections
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def tell(self, message: Mapping[str, Any]) -> None:
        """Sends one event to the sockets that may see the session and hold the right to decide."""
        event, payload = str(message["event"]), message["payload"]
        head = event_head(event, payload)
        for connection in list(self._connections):
            principal = connection.principal
            mine = principal.is_owner or principal.id == message.get("owner")
            if mine and principal.has_scope(APPROVALS):
                connection.event(head)
        if event == RESOLVED:
            for ended in self._waiting.get(payload["id"], ()):
                ended.set()

    @contextmanager
    def waiting(self, approval_id: str) -> Iterator[asyncio.Event]:
        """An event that is set when somebody decides, as far as Redis tells."""
        ended = asyncio.Event()
        waits = self._waiting.setdefault(approval_id, set())
        waits.add(ended)
        try:
            yield ended
        finally:
            waits.discard(ended)
            if not waits and self._waiting.get(approval_id) is waits:
                del self._waiting[approval_id]
