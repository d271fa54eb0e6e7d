"""Ends of background commands become events of the session that started them, and wake it."""

from __future__ import annotations

import asyncio

import structlog
from django.utils import timezone

from agents.database import run_db, write_transaction
from sessions.models import InboundReceipt, Run
from sessions.system_events.origins import begun_by
from sessions.system_events.restarts import restarted
from sessions.system_events.services import system_event_add, system_events_withdraw
from tools.background.endings import endings_announce, endings_unannounced
from tools.builtin.gateway_restart import restart_note_read
from tools.sinks import BackgroundEnded

log = structlog.get_logger(__name__)

_SOURCE = "exec"
# Why there is no message behind such a receipt.
_NOTE = "a background command ended"


async def endings_tell() -> None:
    """Announces what ended since the last look, a restart too. Never raises: the next look tries
    again."""
    try:
        if note := await asyncio.to_thread(restart_note_read):
            await run_db(restarted, note)
        if jobs := await asyncio.to_thread(endings_unannounced):
            await run_db(endings_announce, jobs)
    except Exception:
        log.exception("background.ends_not_told")


def background_ended(ended: BackgroundEnded) -> None:
    """Adds the event and wakes the session, once for each end, whoever calls how often.

    Nothing happens when the turn that started the command is gone together with its session.
    """
    with write_transaction():
        if not _first(ended.key):
            return
        runs = Run.objects.filter(pk=ended.run_id, session__key=ended.session_key)
        run = runs.select_related("person", "session").first()
        if run is None:
            return
        rights, channel = begun_by(run)
        system_event_add(
            session_key=ended.session_key,
            text=ended.text,
            source=_SOURCE,
            # The last words of the output are anybody's.
            trusted=False,
            context_key=ended.key,
            wake=_somebody_returns(run.session.key),
            principal=rights,
            origin={"channel": channel},
        )


def background_seen(key: str, session_key: str) -> None:
    """The agent knows of this end: it is not told of it (again)."""
    with write_transaction():
        _first(key)
        system_events_withdraw(session_key=session_key, context_key=key)


def _somebody_returns(session_key: str) -> bool:
    """Whether anybody would read an answer: a request over HTTP without a user never comes back."""
    return session_key.split(":")[2:3] != ["openai"]


def _first(key: str) -> bool:
    _receipt, made = InboundReceipt.objects.get_or_create(
        source=_SOURCE,
        source_id=key,
        defaults={"digest": "", "received_at": timezone.now(), "note": _NOTE},
    )
    return made
