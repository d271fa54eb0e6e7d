"""How long to wait for more before waiting messages become one turn."""

from __future__ import annotations

from django.utils import timezone

from sessions.models import InboxItem, Session
from sessions.queueing import QueuePolicy
from sessions.receipts import effective_mode


def quiet_seconds(*, session_id: str, policy: QueuePolicy) -> float:
    """Seconds until the newest waiting message is `debounce_ms` old, 0 when a turn may start.

    Only messages that are collected wait: debouncing gathers what arrives behind a running turn.
    """
    waiting = InboxItem.objects.filter(session_id=session_id, outcome="", run=None)
    newest = waiting.order_by("-id").first()
    if newest is None:
        return 0.0
    session = Session.objects.get(pk=session_id)
    mode = effective_mode(session=session, item_mode=newest.queue_mode, origin=newest.origin)
    if mode != "collect":
        return 0.0
    age = (timezone.now() - newest.accepted_at).total_seconds()
    return max(0.0, policy.debounce_ms / 1000 - age)
