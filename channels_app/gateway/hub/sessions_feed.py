"""`sessions.changed` for the sockets that subscribed to the list of sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import structlog

from agents.core.messages import now_ms
from agents.database import run_db
from channels_app.gateway.connection import Connection
from channels_app.gateway.frames import event_head
from channels_app.gateway.session_rows import session_row
from sessions.keys import agent_of
from sessions.models import Run, Session

log = structlog.get_logger(__name__)

# Several changes of one turn make one event.
GATHER_SECONDS = 0.1


class SessionsFeed:
    """Gathers changes for a moment, reads the rows once, tells those who may see them."""

    def __init__(self, connections: set[Connection]) -> None:
        self._connections = connections
        self._reasons: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._task: asyncio.Task[None] | None = None

    def changed(self, key: str, reason: str, owner: str = "") -> None:
        """Something about the session of this key is different now. `owner` is a person's id,
        needed for sessions that are gone."""
        if not any(connection.wants_sessions for connection in self._connections):
            return
        # A making or deletion is told even if something else happens right after it.
        if self._reasons.get(key) not in ("create", "delete"):
            self._reasons[key] = reason
        if reason == "delete":
            self._owners[key] = owner
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._tell())

    def close(self) -> None:
        """Ends what runs."""
        if self._task is not None:
            self._task.cancel()

    async def _tell(self) -> None:
        while self._reasons:
            await asyncio.sleep(GATHER_SECONDS)
            reasons, self._reasons = self._reasons, {}
            try:
                found = await run_db(_rows, list(reasons))
            except Exception as error:  # the next change is told again
                log.warning("gateway.sessions_failed", exc_info=error)
                continue
            for key, reason in reasons.items():
                self._send(key, reason, found.get(key))

    def _send(self, key: str, reason: str, found: tuple[str, dict[str, Any]] | None) -> None:
        owner, row = found or (self._owners.get(key, ""), None)
        self._owners.pop(key, None)
        payload = {
            "key": key,
            "sessionKey": key,
            "agentId": agent_of(key),
            "reason": reason if row is not None else "delete",
            "session": row,
            "ts": now_ms(),
        }
        head = event_head("sessions.changed", payload)
        for connection in self._may_see(owner):
            connection.event(head)

    def _may_see(self, owner: str) -> Iterable[Connection]:
        for connection in list(self._connections):
            principal = connection.principal
            if connection.wants_sessions and (principal.is_owner or principal.id == owner):
                yield connection


def _rows(keys: list[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    sessions = Session.objects.filter(key__in=keys).select_related("current")
    running = Run.objects.filter(session__key__in=keys).exclude(state=Run.State.ENDED)
    active = set(running.values_list("session__key", flat=True))
    return {
        session.key: (session.owner_id, session_row(session, active=active)) for session in sessions
    }
