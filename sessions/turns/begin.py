"""Taking a session over: raise the fence, pick what is next, make the run.

This is the hot path: each statement counts, so rows are read once and written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.db import connection
from django.utils import timezone

from agents.catalog.resolve import default_model_ref, resolve_model
from agents.core.errors import OpenClawError
from agents.core.model import ModelInfo
from agents.database import write_transaction
from agents.rows import row_update, rows_insert
from agents.selectors import AgentSnapshot, agent_model, agent_snapshot
from agents.workspace import workspace_ensure
from sessions.approvals.attendance import attended
from sessions.approvals.selectors import run_waits
from sessions.artifacts import attachment_blocks
from sessions.context.job import OPTION, job_claim
from sessions.context.settings import context_settings
from sessions.locks import session_lock
from sessions.models import Entry, InboxItem, Run, Session, Transcript
from sessions.options import model_chosen
from sessions.policies import queue_policy, reset_policy
from sessions.queueing import Batch, Waiting, batch_next, shorten
from sessions.receipts import effective_mode, principal_from_json, stands_alone
from sessions.resets import reset_due
from sessions.services import transcript_start
from sessions.stops import everything_stopped, everything_stopped_lately
from sessions.system_events.services import system_events_take
from sessions.turns.chain import chain_begin
from sessions.turns.claim import FilesWanted, items_claim
from sessions.turns.history import branch_read
from sessions.turns.records import entry_json
from sessions.turns.resume import run_resume
from sessions.turns.shown import turn_showing
from sessions.turns.turn import Turn
from sessions.turns.writes import model_call_open
from sessions.wakes import is_wake, wakes_left
from sessions.work_queue import session_agent
from tools.workspace.reach import disk_open

# The columns that a turn needs of its session and transcript.
_NEEDED = (
    *("key", "agent_slug", "owner_id", "fence", "model", "thinking", "queue_mode", "title"),
    "settings",
    *("profile", "profile_pinned", "verbose", "reasoning", "trace"),
    *("current__leaf", "current__next_seq", "current__session_started_at"),
    "current__last_interaction_at",
)
# Written out, because making these queries anew for each turn costs more than running them.
# The condition is that of the index of open runs, word for word: SQLite takes no other.
_OPEN_RUN = "SELECT id FROM agent_sessions_run WHERE session_id = %s AND NOT (state = 'ended')"
# Whether the session has something to be told is asked along the way: as a rule it has not.
_WAITING = (
    "SELECT item.*, EXISTS (SELECT 1 FROM agent_sessions_systemevent event "
    "WHERE event.session_id = item.session_id AND event.taken_at IS NULL) AS has_events "
    "FROM agent_sessions_inboxitem item "
    "WHERE item.session_id = %s AND item.outcome = '' AND item.run_id IS NULL ORDER BY item.id"
)


def turn_begin(session_id: str, worker_id: str, fault: str = "") -> Turn | None:
    """The next turn of a session whose lane is held, or None when there is nothing to do.

    An open run of a dead worker is resumed first. Must be called with the lane held. With `fault`
    the turn reads as little as possible and only explains itself with this text.
    """
    # What is remembered may be old; only a yes is worth another look.
    if everything_stopped_lately() and everything_stopped():
        return None
    _warm(session_id)
    files: dict[str, dict[str, Any]] = {}
    while True:
        try:
            turn = _begin(session_id, worker_id, fault, files)
        except FilesWanted as wanted:
            files |= attachment_blocks(references=wanted.references, workspace=wanted.workspace)
        else:
            break
    if turn is not None:
        turn.showing = turn_showing(turn)
    if turn is not None and not turn.failure:
        _workspace_ensure(turn)
        chain_begin(turn)
        branch = branch_read(
            transcript_id=turn.transcript_id, leaf=turn.leaf, last_seq=turn.next_seq - 1
        )
        turn.history, turn.images_from = branch.sendable()
        turn.compaction, turn.compacted_at = branch.entry, branch.at
        if turn.snapshot is not None:
            turn.attended = attended(
                origin=turn.run.origin,
                agent=turn.snapshot.slug,
                session_key=turn.session.key,
            )
            turn.disk_open = disk_open(agent_tools=turn.snapshot.settings.get("tools"))
            turn.settings = context_settings(turn.snapshot, turn.session.key, turn.model)
    return turn


def _begin(
    session_id: str, worker_id: str, fault: str, files: dict[str, dict[str, Any]]
) -> Turn | None:
    with write_transaction():
        session_lock(session_id)
        session = (
            Session.objects.select_related("current")
            .only(*_NEEDED)
            .order_by()
            .filter(pk=session_id)
            .first()
        )
        if session is None:
            return None
        session.fence += 1
        open_run = _open_run(session)
        if open_run is not None:
            return _resume(session, open_run, worker_id, fault)
        return _start(session, worker_id, fault, files)


def _warm(session_id: str) -> None:
    """Reads settings that may have become stale: inside a transaction nothing is remembered."""
    queue_policy()
    reset_policy()
    with suppress(OpenClawError):
        snapshot = agent_snapshot(slug=session_agent(session_id))
        resolve_model(ref=default_model_ref(agent_model=snapshot.model))


def _workspace_ensure(turn: Turn) -> None:
    """Makes the agent's folder if it is missing; a turn without one only explains itself."""
    if turn.snapshot is None:
        return
    try:
        files = turn.snapshot.settings.get("skipBootstrap") is not True
        workspace_ensure(turn.snapshot.workspace, files=files)
    except OpenClawError as error:
        turn.failure = turn.failure or error.message


def agent_and_model(
    session: Session, options: dict[str, Any]
) -> tuple[AgentSnapshot | None, ModelInfo | None, str]:
    """The agent and the model that a message calls for, or why there is none."""
    try:
        snapshot = agent_snapshot(slug=session.agent_slug)
        wanted, profile = options.get("model") or session.model, options.get("profile")
        if "@" in wanted:
            chosen = model_chosen(text=wanted, agent=snapshot.slug)
            wanted, profile = chosen.model.ref, chosen.profile or profile
        if profile:
            # For this message alone: the row keeps its own.
            session.profile, session.profile_pinned = str(profile), True
        ref = wanted or default_model_ref(agent_model=snapshot.model)
        return snapshot, agent_model(slug=snapshot.slug, ref=ref), ""
    except OpenClawError as error:
        return None, None, error.message


def _open_run(session: Session) -> Run | None:
    # There is seldom one: only its key is asked for.
    with connection.cursor() as cursor:
        cursor.execute(_OPEN_RUN, [session.pk])
        found = cursor.fetchone()
    return Run.objects.get(pk=found[0]) if found else None


def _resume(session: Session, run: Run, worker_id: str, fault: str) -> Turn | None:
    # A parked run waits for a decision; only a stop brings it back without one.
    if run.state == Run.State.PARKED and not run.stop_kind and run_waits(run_id=run.pk):
        return None
    Session.objects.filter(pk=session.pk).update(fence=session.fence)
    options = run.items.filter(wire_id=run.wire_id).values_list("options", flat=True).first() or {}
    failed = (None, None, fault)
    snapshot, model, failure = failed if fault else agent_and_model(session, options)
    return run_resume(
        session=session,
        run=run,
        worker_id=worker_id,
        snapshot=snapshot,
        model=model,
        failure=failure,
    )


def _start(
    session: Session, worker_id: str, fault: str, files: dict[str, dict[str, Any]]
) -> Turn | None:
    items = list(InboxItem.objects.raw(_WAITING, [session.pk]))
    has_events = bool(items) and bool(getattr(items[0], "has_events", False))
    items = wakes_left(items, has_events=has_events)
    # Who wrote something is answered first; that turn is told of the events as well.
    batch = _batch(session, [item for item in items if not is_wake(item)] or items)
    if batch is None:
        return None
    lead = next(item for item in items if item.pk == batch.lead.id)
    failed = (None, None, fault)
    snapshot, model, failure = failed if fault else agent_and_model(session, lead.options)
    compacts = OPTION in lead.options
    transcript = _transcript(session, lead, plain=bool(fault) or compacts or is_wake(lead))
    turn = Turn(
        session=session,
        transcript_id=transcript.pk,
        run=_run(session, transcript, lead, snapshot, model, worker_id),
        fence=session.fence,
        principal=principal_from_json(lead.principal),
        snapshot=snapshot,
        model=model,
        items=(),
        history=[],
        next_seq=transcript.next_seq,
        leaf=transcript.leaf,
        failure=failure,
        files=files,
    )
    if compacts:
        turn.items = job_claim(turn, lead)
    else:
        # A turn that only explains itself leaves the events to the next one.
        tells = has_events and model is not None and not failure
        events = system_events_take(session_id=session.pk, run_id=turn.run.pk) if tells else ()
        turn.items = items_claim(turn, batch, {item.pk: item for item in items}, events)
    turn.more = len(items) > len(turn.items) + len(batch.refused)
    if model is not None:
        model_call_open(turn, number=1)
    if turn.prompt_entry is not None:
        turn.new_entries.append(entry_json(turn.prompt_entry))
    _touch(session, lead)
    return turn


def _batch(session: Session, items: Sequence[InboxItem]) -> Batch | None:
    waiting = [
        Waiting(
            id=item.pk,
            person=item.person_id,
            text=item.text,
            mode=effective_mode(session=session, item_mode=item.queue_mode, origin=item.origin),
            sender=item.principal.get("name", ""),
            alone=stands_alone(item.options),
        )
        for item in items
    ]
    return batch_next(waiting, queue_policy())


def _transcript(session: Session, lead: InboxItem, *, plain: bool) -> Transcript:
    transcript = session.current
    if transcript is None:
        return transcript_start(session=session, reason="create")
    if plain:
        return transcript
    reason = reset_due(
        policy=reset_policy(),
        started_at=transcript.session_started_at,
        last_interaction_at=transcript.last_interaction_at,
        now=timezone.now(),
        zone=lead.principal.get("zone") or "UTC",
    )
    if reason and transcript.leaf:
        return transcript_start(session=session, reason=reason)
    after = lead.options.get("expectedLeafEntryId")
    if after is not None and after != transcript.leaf and _known_entry(transcript, after):
        transcript.leaf = after
    return transcript


def _known_entry(transcript: Transcript, entry: str) -> bool:
    if entry == "":
        return True
    return Entry.objects.filter(transcript=transcript, entry_id=entry).exists()


def _run(
    session: Session,
    transcript: Transcript,
    lead: InboxItem,
    snapshot: AgentSnapshot | None,
    model: ModelInfo | None,
    worker_id: str,
) -> Run:
    run = Run(
        session=session,
        transcript=transcript,
        person_id=lead.person_id,
        wire_id=lead.wire_id,
        agent_slug=session.agent_slug,
        agent=snapshot.to_json() if snapshot else {},
        provider=model.provider if model else "",
        model=model.id if model else "",
        origin=str(lead.origin.get("kind", ""))[:32],
        preview=shorten(lead.text, 160),
        fence=session.fence,
        worker=worker_id[:64],
        accepted_at=lead.accepted_at,
    )
    rows_insert([run])
    return run


def _touch(session: Session, lead: InboxItem) -> None:
    now = timezone.now()
    if is_wake(lead):
        # Nobody was here: the time of the last message and its text stay.
        changes = {"fence": session.fence, "updated_at": now}
        row_update(Session, where={"id": session.pk}, changes=changes)
        return
    changes = {
        "fence": session.fence,
        "updated_at": now,
        "last_interaction_at": now,
        "preview": shorten(lead.text, 240),
    }
    if not session.title and OPTION not in lead.options:
        changes["title"] = session.title = shorten(lead.text, 60)
    row_update(Session, where={"id": session.pk}, changes=changes)
