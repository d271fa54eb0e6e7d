"""What a session has to do next, as the engine asks it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from agents.core.errors import OpenClawError
from agents.selectors import agent_snapshot
from sessions.models import InboxItem, Run, Session
from sessions.policies import queue_policy
from sessions.receipts import effective_mode


@dataclass(frozen=True, slots=True)
class Work:
    """A session that has something to do, its agent, and how many turns that agent may run.

    `gather_seconds` is how long messages that arrived behind a turn should still be gathered; an
    idle session ignores it and starts at once.
    """

    agent: str
    cap: int
    gather_seconds: float = 0.0


def work_next(session_id: str) -> Work | None:
    """What to do for a session, None for nothing: no message waits and no run is open."""
    session = Session.objects.filter(pk=session_id).only("agent_slug", "queue_mode").first()
    if session is None:
        return None
    open_run = Run.objects.filter(session_id=session_id).exclude(state=Run.State.ENDED).first()
    if open_run is not None:
        parked = open_run.state == Run.State.PARKED and not open_run.stop_kind
        return None if parked else Work(session.agent_slug, _cap(session.agent_slug))
    newest = InboxItem.objects.filter(session_id=session_id, outcome="", run=None).last()
    if newest is None:
        return None
    return Work(session.agent_slug, _cap(session.agent_slug), _gather(session, newest))


def _cap(agent: str) -> int:
    try:
        return agent_snapshot(slug=agent).max_concurrent
    except OpenClawError:
        # The turn itself explains what is wrong with the agent.
        return 1


def _gather(session: Session, newest: InboxItem) -> float:
    mode = effective_mode(session=session, item_mode=newest.queue_mode, origin=newest.origin)
    if mode != "collect":
        return 0.0
    age = (timezone.now() - newest.accepted_at).total_seconds()
    return max(0.0, queue_policy().debounce_ms / 1000 - age)
