"""chat.history: what was said, and what is being said right now."""

from __future__ import annotations

from typing import Annotated, Any

import redis
import structlog
from pydantic import Field

from agents.core.errors import NotFound
from agents.core.principal import READ, Principal
from channels_app.gateway.call import Call
from channels_app.gateway.methods.sending import Key
from channels_app.gateway.registry import method
from channels_app.gateway.row_html import rows_with_html
from channels_app.gateway.rows import MAX_TEXT, MAX_TEXT_PAGE, message_row, rows_within
from channels_app.gateway.session_rows import milliseconds, session_row
from channels_app.gateway.validation import Params
from sessions.live import inflight, position_now
from sessions.models import Entry, Run, Session
from sessions.options import session_showing
from sessions.selectors import history_entries, session_visible, waiting_items
from sessions.showing import reasoning_left_out
from sessions.turns.records import entry_message

log = structlog.get_logger(__name__)

Word = Annotated[str, Field(max_length=512)]


class ChatHistory(Params):
    """`beforeSeq` pages back by entry number; `offset` skips so many of the newest rows."""

    session_key: Key
    limit: Annotated[int, Field(ge=1, le=1000)] = 200
    offset: Annotated[int, Field(ge=0, le=100_000)] = 0
    before_seq: Annotated[int, Field(ge=1)] | None = None
    max_chars: Annotated[int, Field(ge=1, le=500_000)] | None = None
    max_bytes: Annotated[int, Field(ge=1024)] | None = None
    agent_id: Word | None = None
    session_id: Word | None = None
    cursor: Word | None = None
    message_id: Word | None = None


@method("chat.history", ChatHistory, scope=READ)
async def chat_history(call: Call, params: ChatHistory) -> Any:
    """The newest rows of the active branch. A session that is not there is an empty one."""
    key = await call.session_key(params.session_key)
    try:
        session: Session = await call.db(session_visible, key=key)
    except NotFound:
        return _empty(params)
    shown = await _live(session.pk)
    found = await call.db(_read, key=key, params=params)
    max_text = params.max_chars or (MAX_TEXT_PAGE if call.connection.flavour.is_page else MAX_TEXT)
    wires = found["wires"]
    rows = [message_row(entry, run_ids=wires, max_text=max_text) for entry in found["rows"]]
    if call.connection.flavour.has_html:
        rows = await rows_with_html(rows)
    rows = rows_within(rows, min(params.max_bytes or 6_291_456, 6_291_456))
    answer = {
        "sessionKey": params.session_key,
        "sessionId": found["session"].current_id,
        "messages": rows,
        "thinkingLevel": found["session"].thinking or "off",
        "verboseLevel": found["showing"].verbose,
        "reasoningLevel": found["showing"].reasoning,
        **_paging(params, found, rows),
        "pendingInputs": found["waiting"],
        "sessionInfo": found["info"],
        **_inflight(call, key, shown, found["open_run"]),
    }
    return {name: value for name, value in answer.items() if value is not None}


def _empty(params: ChatHistory) -> dict[str, Any]:
    return {
        "sessionKey": params.session_key,
        "messages": [],
        "hasMore": False,
        "pendingInputs": {"items": [], "total": 0},
        "sessionInfo": {"key": params.session_key, "hasActiveRun": False, "activeRunIds": []},
    }


async def _live(session_id: str) -> dict[str, Any]:
    """What Redis shows of the session; nothing when Redis is away."""
    try:
        running = await inflight(session_id)
        position = running["position"] if running else await position_now(session_id)
    except (redis.RedisError, OSError) as error:
        log.warning("gateway.live_unread", error=str(error))
        return {"running": None, "position": ""}
    return {"running": running, "position": position}


def _read(*, principal: Principal, key: str, params: ChatHistory) -> dict[str, Any]:
    # Read after the live record, so that an end in between is seen in the rows.
    session = session_visible(principal=principal, key=key)
    wanted = params.limit + params.offset + 1
    entries = history_entries(session=session, limit=wanted, before_seq=params.before_seq)
    if params.offset:
        entries = entries[: -params.offset]
    has_more = len(entries) > params.limit
    entries = entries[-params.limit :]
    run_ids = {entry.run_id for entry in entries if entry.run_id}
    open_run = Run.objects.filter(session=session).exclude(state=Run.State.ENDED).first()
    items = waiting_items(session=session)
    showing = session_showing(session=session)
    return {
        "session": session,
        "showing": showing,
        "rows": [entry_fields(entry, keeps_reasoning=showing.keeps_reasoning) for entry in entries],
        "has_more": has_more,
        "wires": dict(Run.objects.filter(pk__in=run_ids).values_list("id", "wire_id")),
        "open_run": open_run,
        "waiting": {
            "items": [
                {
                    "runId": item.wire_id,
                    "text": item.text[:2000],
                    "at": milliseconds(item.accepted_at),
                }
                for item in items
            ],
            "total": len(items),
        },
        "info": {
            **session_row(session, active=[session.key] if open_run else []),
            "activeRunIds": [open_run.wire_id] if open_run else [],
        },
    }


def entry_fields(entry: Entry, *, keeps_reasoning: bool) -> dict[str, Any]:
    """An entry in the form of live records; marks become notices."""
    message = entry_message(entry)
    return {
        "id": entry.entry_id,
        "parentId": entry.parent_id or None,
        "seq": entry.seq,
        "role": entry.role,
        "runId": entry.run_id,
        "message": message if keeps_reasoning else reasoning_left_out(message),
    }


def _paging(
    params: ChatHistory, found: dict[str, Any], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    has_more = found["has_more"] or len(rows) < len(found["rows"])
    return {
        "hasMore": has_more,
        "nextOffset": params.offset + len(rows) if has_more else None,
        "nextBeforeSeq": rows[0]["__openclaw"]["seq"] if has_more and rows else None,
    }


def _inflight(call: Call, key: str, shown: dict[str, Any], open_run: Run | None) -> dict[str, Any]:
    """The running turn as shown so far, so that a reloaded page goes on where it was."""
    position = {"position": shown["position"]} if shown["position"] else {}
    if open_run is None:
        return position
    if call.hub.is_watching(call.connection, key):
        call.hub.expect(key, open_run.wire_id)
    running = shown["running"]
    if running is None or running["run"] != open_run.pk:
        text, seq = "", 0
    else:
        text, seq = running["text"], running["seq"]
    return {
        **position,
        "inFlightRun": {
            "runId": open_run.wire_id,
            "internalRunId": open_run.pk,
            "text": text,
            "seq": seq,
            "startedAt": milliseconds(open_run.started_at),
        },
    }
