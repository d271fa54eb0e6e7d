"""Waking a session that nobody wrote to: something happened that its agent should look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.principal import Principal
from agents.core.registry import Registry
from agents.database import write_transaction
from agents.ids import new_id
from sessions.locks import session_lock
from sessions.models import InboundReceipt, InboxItem, Session
from sessions.receipts import principal_to_json
from sessions.wake import wake

log = structlog.get_logger(__name__)

# The kind of origin of a message that stands for an event, and the source of its receipt.
KIND = "wake"
# Why a message that stands for events ended without a turn.
TOLD = "its events were told or withdrawn before"
# What the model is asked, behind the events themselves.
ASKED = (
    "[Nobody wrote just now: the system events above began this turn. Tell the person briefly "
    "what came of it, with what they need to know; look closer with your tools first where that "
    "helps. Do not repeat work that is done.]"
)


@dataclass(frozen=True, slots=True)
class Wake:
    """Who is woken, and with whose rights its turn acts. `source` names what happened.

    `text` is a line for people; `origin` is added to the origin of the message, such as the
    channel of what began it.
    """

    session_key: str
    principal: Principal
    source: str
    text: str = ""
    origin: dict[str, Any] = field(default_factory=dict)


# A sink answers whether it took the wake. The newest one is asked first, so that the app that
# knows about quiet hours and intervals can take what it wants.
WAKE_SINKS: Registry[Callable[[Wake], bool]] = Registry("wake sink")


def session_wake(request: Wake) -> bool:
    """Has the session look at its system events soon; returns whether anybody took it.

    May be called within a transaction, then nothing happens unless it is committed.
    """
    return any(WAKE_SINKS.get(name)(request) for name in reversed(WAKE_SINKS.names()))


def inbox_wake(request: Wake) -> bool:
    """The sink that is always there: a message of origin "wake" in the session itself.

    One that waits already will see every event, so there is never a second one of the same
    person. It does not steer, interrupt or join others' messages.
    """
    session = Session.objects.filter(key=request.session_key).first()
    if session is None:
        return False
    with write_transaction():
        session_lock(session.pk)
        if not _waits(session, request.principal):
            _store(session, request)
        transaction.on_commit(partial(wake, session.pk))
    return True


def is_wake(item: InboxItem) -> bool:
    """Whether a message stands for events, and nobody wrote it."""
    return bool(item.origin.get("kind") == KIND)


def wakes_left(items: Sequence[InboxItem], *, has_events: bool) -> list[InboxItem]:
    """The waiting messages without those that stand for events when none is left to be told.

    These end at once, within the caller's transaction: somebody else told or withdrew the events.
    """
    idle = [] if has_events else [item.pk for item in items if is_wake(item)]
    if not idle:
        return list(items)
    InboxItem.objects.filter(pk__in=idle).update(
        outcome=InboxItem.Outcome.STOPPED, detail=TOLD, ended_at=timezone.now()
    )
    return [item for item in items if item.pk not in idle]


def _waits(session: Session, principal: Principal) -> bool:
    waiting = InboxItem.objects.filter(
        session=session, outcome="", run=None, person_id=principal.id, origin__kind=KIND
    )
    return waiting.exists()


def _store(session: Session, request: Wake) -> None:
    identifier = f"{KIND}-{new_id()}"
    now = timezone.now()
    receipt = InboundReceipt.objects.create(
        source=KIND, source_id=identifier, digest="", received_at=now
    )
    InboxItem.objects.create(
        receipt=receipt,
        session=session,
        person_id=request.principal.id,
        principal=principal_to_json(request.principal),
        wire_id=identifier,
        text=request.text or _("Something happened that the agent was told of."),
        origin={**request.origin, "kind": KIND, "source": request.source},
        queue_mode="followup",
        accepted_at=now,
    )
    log.info("session.woken", session=session.pk, source=request.source)
