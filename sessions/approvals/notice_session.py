"""A notice in a conversation: a line that people see and no model reads."""

from __future__ import annotations

import asyncio
import time

import structlog
from django.utils import timezone

from agents.database import run_db, write_transaction
from agents.ids import entry_id
from sessions.approvals.notice_routes import Notice
from sessions.live import record_emit_sync
from sessions.locks import session_lock
from sessions.models import Approval, Entry, Run, Session, Transcript
from sessions.turns.records import entry_json

log = structlog.get_logger(__name__)

# Seconds between two looks whether the turn of a busy session is over.
BUSY_SECONDS = 1.0


async def notice_to_session(notice: Notice) -> None:
    """Writes the notice into the session `notice.to` as soon as no turn writes there.

    Gives up when the question has ended first, or when there is no such session.
    """
    while await run_db(_waits, notice.approval_id):
        if await run_db(notice_add, session_key=notice.to, text=notice.text):
            return
        await asyncio.sleep(BUSY_SECONDS)
    log.info("approval.notice_too_late", session=notice.to, approval=notice.approval_id)


def _waits(approval_id: str) -> bool:
    pending = Approval.objects.filter(pk=approval_id, state=Approval.State.PENDING)
    return pending.filter(expires_at__gt=timezone.now()).exists()


def notice_add(*, session_key: str, text: str) -> bool:
    """Adds a notice at the end of a session's conversation. False: a turn writes there now."""
    session = Session.objects.filter(key=session_key).first()
    if session is None:
        log.warning("approval.notice_without_session", session=session_key)
        return True
    with write_transaction():
        session_lock(session.pk)
        if Run.objects.filter(session=session, state=Run.State.RUNNING).exists():
            return False
        transcript = Transcript.objects.filter(session=session, ended_at=None).first()
        if transcript is None:
            log.warning("approval.notice_without_transcript", session=session_key)
            return True
        entry = _entry(transcript, text)
        entry.save(force_insert=True)
        Transcript.objects.filter(pk=transcript.pk).update(
            leaf=entry.entry_id, next_seq=entry.seq + 1, updated_at=timezone.now()
        )
    record = {"t": "entry", "key": session.key, "agent": session.agent_slug}
    record_emit_sync(session_id=session.pk, record={**record, "entry": entry_json(entry)})
    return True


def _entry(transcript: Transcript, text: str) -> Entry:
    return Entry(
        transcript=transcript,
        seq=transcript.next_seq,
        entry_id=entry_id(),
        parent_id=transcript.leaf,
        type=Entry.Type.NOTICE,
        body={"content": text, "timestamp": int(time.time() * 1000)},
    )
