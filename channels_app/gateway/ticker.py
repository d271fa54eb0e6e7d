"""What happens on all sockets every half minute: a tick, and a look at who may still be here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from agents.core.messages import now_ms
from agents.database import run_db
from channels_app.config_section import gateway_settings
from channels_app.devices import device_find, device_is_approved
from channels_app.gateway.cookie_session import session_person
from channels_app.gateway.frames import event_head
from channels_app.gateway.identity import Identity, secret_digest
from channels_app.gateway.limits import Limits
from sessions.models import Person

if TYPE_CHECKING:
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
        """Closes sockets of people who signed out or may do less now, of devices that were shut
        out, and those that came in with another shared token."""
        connections = list(self._hub.connections)
        gone = await run_db(_unwelcome, [connection.identity for connection in connections])
        for connection in connections:
            if connection.identity in gone:
                log.info("gateway.signed_out", person=connection.principal.id)
                connection.outbox.close(1008, "signed out")


def _unwelcome(identities: Sequence[Identity]) -> set[Identity]:
    return {identity for identity in set(identities) if not _is_welcome(identity)}


def _is_welcome(identity: Identity) -> bool:
    if identity.method == "none":
        return gateway_settings().auth.mode == "none"
    if identity.method == "token":
        return identity.secret_digest == secret_digest()
    person = _person(identity)
    if person is None or person.id != identity.principal.id:
        return False
    own = person.principal()
    may_still = all(own.has_scope(scope) for scope in identity.principal.scopes)
    return may_still and own.is_owner == identity.principal.is_owner


def _person(identity: Identity) -> Person | None:
    if identity.method == "session":
        return session_person(session_key=identity.cookie)
    device = device_find(device_id=identity.device_id)
    return device.person if device is not None and device_is_approved(device) else None
