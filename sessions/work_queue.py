"""What the engine asks of a session before a turn."""

from __future__ import annotations

from functools import lru_cache

from django.db.models import QuerySet
from django.utils import timezone

from agents.core.errors import OpenClawError
from agents.selectors import agent_snapshot
from sessions.models import InboxItem, Run, Session
from sessions.policies import queue_policy
from sessions.receipts import effective_mode


@lru_cache(maxsize=4096)
def session_agent(session_id: str) -> str:
    """The agent's id. Raises Session.DoesNotExist."""
    # A session never changes its agent: the key holds it.
    return Session.objects.filter(pk=session_id).values_list("agent_slug", flat=True).get()


def agent_of_session(session_id: str) -> tuple[str, int]:
    """The agent of a session, and how many turns it may run at once.

    An agent with a fault counts as one turn at once; the turn itself explains what is wrong.
    Raises Session.DoesNotExist.
    """
    agent = session_agent(session_id)
    try:
        return agent, agent_snapshot(slug=agent).max_concurrent
    except OpenClawError:
        return agent, 1


def _came_after_the_end(session_id: str, waiting: QuerySet[InboxItem]) -> bool:
    """Whether all that waits was written to an idle session, only its lane was not let go yet."""
    oldest = waiting.first()
    ends = Run.objects.filter(session_id=session_id, ended_at__isnull=False)
    ended_at = ends.order_by("-ended_at").values_list("ended_at", flat=True).first()
    return oldest is not None and ended_at is not None and oldest.accepted_at >= ended_at


def gather_seconds(session_id: str) -> float:
    """How long messages that arrived behind a turn should still be gathered, in seconds.

    Only collected messages wait, until the newest is as old as the debounce time or the queue is
    full; 0 means that a turn may start.
    """
    waiting = InboxItem.objects.filter(session_id=session_id, outcome="", run=None)
    newest = waiting.select_related("session").last()
    if newest is None or _came_after_the_end(session_id, waiting):
        return 0.0
    mode = effective_mode(session=newest.session, item_mode=newest.queue_mode, origin=newest.origin)
    if mode != "collect":
        return 0.0
    policy = queue_policy()
    pause = policy.debounce_ms / 1000 - (timezone.now() - newest.accepted_at).total_seconds()
    # Somebody who never stops writing is answered when the queue is full.
    return pause if pause > 0 and waiting.count() < policy.cap else 0.0
