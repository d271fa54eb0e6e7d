"""Changes of a session's queue of system events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from agents.core.clean_text import clean_text
from agents.core.principal import Principal
from agents.database import write_transaction
from sessions.locks import session_lock
from sessions.models import Session
from sessions.models.system_events import SystemEvent
from sessions.wakes import Wake, session_wake

# design 10; the oldest makes room.
MOST_WAITING = 20
LONGEST_TEXT = 4_000
# How long a taken event is kept for whoever looks into a run.
KEPT = timedelta(days=7)


def system_event_add(
    *,
    session_key: str,
    text: str,
    source: str,
    trusted: bool = True,
    context_key: str = "",
    wake: bool = False,
    principal: Principal | None = None,
    origin: Mapping[str, Any] | None = None,
) -> bool:
    """Puts one line into the queue of a session; its next turn gets it in front of its message.

    False, with nothing changed, when there is no such session, the text is empty, or the newest
    waiting event says the same. `trusted` false: it carries words from outside of the gateway.
    A newer event with the same `context_key` takes the place of a waiting one. With `wake` the
    session begins a turn for it, with the rights of `principal` or else of the session's owner;
    `origin` says more about where that turn comes from.
    May be called within a transaction.
    """
    text = clean_text(text).strip()[:LONGEST_TEXT]
    session = Session.objects.filter(key=session_key).select_related("owner").first()
    if session is None or not text:
        return False
    with write_transaction():
        session_lock(session.pk)
        if not _add(session, text, source, trusted, context_key):
            return False
        if wake:
            rights = principal or session.owner.principal()
            session_wake(
                Wake(session.key, rights, source=source, text=text, origin=dict(origin or {}))
            )
    return True


def _add(session: Session, text: str, source: str, trusted: bool, context_key: str) -> bool:
    waiting = _waiting(session.pk)
    newest = waiting.last()
    if newest is not None and (newest.text, newest.trusted) == (text, trusted):
        return False
    if context_key:
        waiting.filter(context_key=context_key[:200]).delete()
    kept = list(waiting.order_by("-id").values_list("pk", flat=True)[: MOST_WAITING - 1])
    waiting.exclude(pk__in=kept).delete()
    SystemEvent.objects.create(
        session=session,
        source=source[:32],
        text=text,
        trusted=trusted,
        context_key=context_key[:200],
    )
    return True


def system_events_take(*, session_id: str, run_id: str) -> Sequence[SystemEvent]:
    """Every waiting event of a session, oldest first; from now on they are of that run.

    Within the transaction that stores them in the transcript, with the session locked: if it is
    undone they wait again, and after it nobody gets them a second time.
    """
    events = list(_waiting(session_id))
    if events:
        ids = [event.pk for event in events]
        SystemEvent.objects.filter(pk__in=ids).update(run_id=run_id, taken_at=timezone.now())
    return events


def system_events_withdraw(*, session_key: str, context_key: str) -> int:
    """Takes back what waits about one thing, because it is known already. Returns how many."""
    waiting = SystemEvent.objects.filter(
        session__key=session_key, context_key=context_key, taken_at=None
    )
    return waiting.delete()[0]


def system_events_prune() -> int:
    """Deletes events that a turn took more than a week ago. Returns how many."""
    return SystemEvent.objects.filter(taken_at__lt=timezone.now() - KEPT).delete()[0]


def _waiting(session_id: str) -> QuerySet[SystemEvent]:
    return SystemEvent.objects.filter(session_id=session_id, taken_at=None).order_by("id")
