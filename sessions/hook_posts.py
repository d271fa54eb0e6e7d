"""Hooks outside of a run: a message came in, a conversation began or ended, a process started.

All of them only observe, so nobody waits for their handlers. Without a listener each costs one
dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from agents.core.principal import Principal
from agents.database import run_db
from agents.hooks import HookContext, HookRecord, hook_observe, hooks_present
from agents.hooks.background import hook_post
from sessions.hook_calls import hook_calls_store
from sessions.models import Entry, InboxItem, Session, Transcript

log = structlog.get_logger(__name__)


def message_received(*, item: InboxItem, session: Session, principal: Principal) -> None:
    """A message was stored; call it after the commit."""
    if not hooks_present("message_received"):
        return
    origin = item.origin
    provider = str(origin.get("kind", ""))
    event = {
        "from": principal.name or principal.id,
        "content": item.text,
        "timestamp": int(item.accepted_at.timestamp() * 1000),
        "metadata": {
            "provider": provider,
            "threadId": origin.get("threadId"),
            "messageId": item.wire_id,
            "senderId": principal.id,
            "senderName": principal.name,
            "attachments": len(item.attachments),
        },
    }
    ctx = {"message_provider": provider, "channel_id": provider, "trigger": "user"}
    _post("message_received", event, session, ctx, item_id=item.pk)


def transcript_began(*, session: Session, began: Transcript, reason: str) -> None:
    """A session gets another transcript; within the transaction, before `current` is changed."""
    ended = session.current
    if ended is not None and hooks_present("session_end"):
        _on_commit(partial(_post, "session_end", _end_event(session, ended, reason), session, {}))
    if hooks_present("session_start"):
        event = {
            "sessionId": began.pk,
            "sessionKey": session.key,
            "resumedFrom": ended.pk if ended is not None else None,
            "reason": reason,
        }
        _on_commit(partial(_post, "session_start", event, session, {"session_id": began.pk}))


def reset_begins(*, session: Session, reason: str) -> None:
    """A person starts a session over; within the transaction, before the new transcript."""
    if not hooks_present("before_reset") or session.current_id is None:
        return
    rows = Entry.objects.filter(transcript_id=session.current_id, type=Entry.Type.MESSAGE)
    event = {
        "sessionId": session.current_id,
        "messages": list(rows.order_by("seq").values_list("body", flat=True)),
        "reason": reason,
    }
    ctx = {"session_id": session.current_id}
    _on_commit(partial(_post, "before_reset", event, session, ctx))


def gateway_started(process: str) -> None:
    """A worker or web process has started and loaded its plugins."""
    if hooks_present("gateway_start"):
        _post("gateway_start", {"port": settings.OPENCLAW.port, "process": process}, None, {})


def gateway_stops(process: str, *, seconds: float = 3.0) -> None:
    """A worker or web process is about to end; waits for the handlers, at most `seconds`."""
    if not hooks_present("gateway_stop"):
        return
    event = {"reason": "stop", "process": process}
    try:
        _post("gateway_stop", event, None, {}).result(seconds)
    except TimeoutError:
        log.warning("hook_left_behind", hook="gateway_stop", seconds=seconds)


def _end_event(session: Session, ended: Transcript, reason: str) -> dict[str, Any]:
    now = timezone.now()
    count = Entry.objects.filter(transcript=ended, type=Entry.Type.MESSAGE).count()
    return {
        "sessionId": ended.pk,
        "sessionKey": session.key,
        "messageCount": count,
        "durationMs": int((now - ended.session_started_at).total_seconds() * 1000),
        "reason": reason,
    }


def _on_commit(post: Callable[[], object]) -> None:
    transaction.on_commit(post)


def _post(
    name: str,
    event: Mapping[str, Any],
    session: Session | None,
    context: Mapping[str, str],
    *,
    item_id: int | None = None,
) -> Future[None]:
    records: list[HookRecord] = []
    places: dict[str, Any] = {"record": records.append, **context}
    if session is not None:
        places.update(agent_id=session.agent_slug, session_key=session.key)
        places.setdefault("session_id", session.current_id or "")
    row: dict[str, Any] = {"session_id": session.pk if session is not None else None}
    if item_id is not None:
        row["item_id"] = item_id
    return hook_post(_observe(name, event, HookContext(**places), records, row))


async def _observe(
    name: str,
    event: Mapping[str, Any],
    ctx: HookContext,
    records: list[HookRecord],
    row: Mapping[str, Any],
) -> None:
    await hook_observe(name, event, ctx)
    try:
        await run_db(partial(hook_calls_store, records, **row))
    except DatabaseError:
        # The session may have been deleted meanwhile; what was observed is over anyway.
        log.warning("hook_calls_lost", hook=name, exc_info=True)
