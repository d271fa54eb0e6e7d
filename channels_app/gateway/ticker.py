"""What happens on all sockets every half minute: a tick, and a look at who may still be here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from agents.core.messages import now_ms
from agents.database import run_db
from channels_app.devices import device_find, device_is_approved
from channels_app.gateway.cookie_session import session_person
from channels_app.gateway.frames import event_head
from channels_app.gateway.limits import Limits

if TYPE_CHECKING:
    from channels_app.gateway.connection import Connection
    from channels_app.gateway.hub.hub import Hub

log = structlog.get_logger(__name__)


class Ticker:
    """Ticks while there are sockets."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.task: asyncio.Task[None] | None = None

    def start(self, limits: Limits) -> None:
        """Begins to tick, if that is not done yet."""
        if self.task is None or self.task.done():
            interval = limits.tick_interval_ms / 1000
            self.task = asyncio.get_running_loop().create_task(self._run(interval))

    async def _run(self, interval: float) -> None:
        while self._hub.connections:
            await asyncio.sleep(interval)
            head = event_head("tick", {"ts": now_ms()})
            for connection in self._hub.connections:
                connection.event(head, droppable=True)
            try:
                await self._check()
            except Exception as error:  # a failed look changes nobody's rights
                log.warning("gateway.recheck_failed", exc_info=error)

    async def _check(self) -> None:
        """Closes sockets whose person signed out or whose device was shut out."""
        for connection in list(self._hub.connections):
            identity = connection.identity
            if identity.method in ("token", "none"):
                continue
            if not await run_db(_is_welcome, connection):
                log.info("gateway.signed_out", person=identity.principal.id)
                connection.outbox.close(1008, "signed out")


def _is_welcome(connection: Connection) -> bool:
    identity = connection.identity
    if identity.method == "session":
        person = session_person(session_key=identity.cookie)
        return person is not None and person.id == identity.principal.id
    return device_is_approved(device_find(device_id=identity.device_id))
