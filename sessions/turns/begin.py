"""Taking a session over: raise the fence, pick what is next, make the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from agents.catalog.resolve import default_model_ref, resolve_model
from agents.core.errors import OpenClawError
from agents.core.messages import now_ms
from agents.core.model import ModelInfo
from agents.database import write_transaction
from agents.selectors import AgentSnapshot, agent_snapshot
from sessions.artifacts import attachment_blocks
from sessions.models import Entry, InboxItem, Run, Session, Transcript
from sessions.policies import queue_policy, reset_policy
from sessions.queueing import Batch, Waiting, batch_next, prompt_text, shorten
from sessions.receipts import effective_mode, principal_from_json
from sessions.resets import reset_due
from sessions.services import transcript_start
from sessions.stops import everything_stopped
from sessions.turns.history import branch_messages
from sessions.turns.resume import run_resume
from sessions.turns.turn import Turn
from sessions.turns.writes import entries_add

# Options that give a message a prompt of its own.
_ALONE = ("expectedLeafEntryId", "systemPrompt", "model", "thinking")


def turn_begin(session_id: str, worker_id: str) -> Turn | None:
    """The next turn of a session whose lane is held, or None when there is nothing to do.

    An open run of a dead worker is resumed first. Must be called with the lane held.
    """
    session = Session.objects.select_related("owner", "current").filter(pk=session_id).first()
    if session is None or everything_stopped():
        return None
    open_run = Run.objects.filter(session=session).exclude(state=Run.State.ENDED).first()
    if open_run is not None:
        # A parked run waits for a decision; only a stop brings it back without one.
        if open_run.state == Run.State.PARKED and not open_run.stop_kind:
            return None
        return _resume(session, open_run, worker_id)
    items = _waiting(session)
    if not items:
        return None
    snapshot, model, failure = _agent(session, items[0].options)
    with write_transaction():
        _raise_fence(session)
        items = _waiting(session)
        batch = _batch(session, items)
        if batch is None:
            return None
        return _start(session, batch, items, snapshot, model, failure, worker_id)


def _waiting(session: Session) -> list[InboxItem]:
    return list(InboxItem.objects.filter(session=session, outcome="", run=None).order_by("id"))


def _raise_fence(session: Session) -> None:
    locked = Session.objects.select_for_update().filter(pk=session.pk).values("fence", "current_id")
    row = locked.get()
    session.fence = row["fence"] + 1
    session.current_id = row["current_id"]
    Session.objects.filter(pk=session.pk).update(fence=session.fence)


def _agent(
    session: Session, options: dict[str, Any]
) -> tuple[AgentSnapshot | None, ModelInfo | None, str]:
    try:
        snapshot = agent_snapshot(slug=session.agent_slug)
        wanted = options.get("model") or session.model
        ref = wanted or default_model_ref(agent_model=snapshot.model)
        return snapshot, resolve_model(ref=ref), ""
    except OpenClawError as error:
        return None, None, error.message


def _batch(session: Session, items: Sequence[InboxItem]) -> Batch | None:
    waiting = [
        Waiting(
            id=item.pk,
            person=item.person_id,
            text=item.text,
            mode=effective_mode(session=session, item_mode=item.queue_mode, origin=item.origin),
            sender=item.principal.get("name", ""),
            alone=any(name in item.options for name in _ALONE),
        )
        for item in items
    ]
    return batch_next(waiting, queue_policy())


def _start(
    session: Session,
    batch: Batch,
    items: Sequence[InboxItem],
    snapshot: AgentSnapshot | None,
    model: ModelInfo | None,
    failure: str,
    worker_id: str,
) -> Turn:
    by_id = {item.pk: item for item in items}
    lead = by_id[batch.lead.id]
    transcript = _transcript(session, lead)
    run = _run(session, transcript, lead, snapshot, model, worker_id)
    mine = _claim(run, batch, by_id)
    turn = Turn(
        session=session,
        transcript_id=transcript.pk,
        run=run,
        fence=session.fence,
        principal=principal_from_json(lead.principal),
        snapshot=snapshot,
        model=model,
        items=mine,
        history=[],
        next_seq=transcript.next_seq,
        leaf=transcript.leaf,
        failure=failure,
    )
    shown = _prompt_entry(turn, batch, mine)
    turn.new_entries.extend(entry_json(entry) for entry in shown)
    _touch(session, transcript, lead)
    turn.history = branch_messages(transcript_id=transcript.pk, leaf=turn.leaf)
    return turn


def _transcript(session: Session, lead: InboxItem) -> Transcript:
    transcript = Transcript.objects.filter(pk=session.current_id).first()
    if transcript is None:
        return transcript_start(session=session, reason="create")
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
    return Run.objects.create(
        session=session,
        transcript=transcript,
        person_id=lead.person_id,
        wire_id=lead.wire_id,
        agent_slug=session.agent_slug,
        agent=_snapshot_json(snapshot) if snapshot else {},
        provider=model.provider if model else "",
        model=model.id if model else "",
        origin=str(lead.origin.get("kind", ""))[:32],
        preview=shorten(lead.text, 160),
        fence=session.fence,
        worker=worker_id[:64],
        accepted_at=lead.accepted_at,
    )


def _snapshot_json(snapshot: AgentSnapshot) -> dict[str, Any]:
    return {
        "id": snapshot.slug,
        "name": snapshot.name,
        "workspace": str(snapshot.workspace),
        "model": snapshot.model,
        "fallbacks": list(snapshot.fallbacks),
        "thinking": snapshot.thinking,
        "timeoutSeconds": snapshot.timeout_seconds,
        "maxConcurrent": snapshot.max_concurrent,
    }


def _claim(run: Run, batch: Batch, by_id: dict[int, InboxItem]) -> list[InboxItem]:
    """Binds the batch's items to the run. `detail` holds the part each one plays until the end."""
    lead = by_id[batch.lead.id]
    merged = [by_id[item.id] for item in batch.merged]
    overflow = [by_id[item.id] for item in batch.overflow]
    InboxItem.objects.filter(pk=lead.pk).update(run=run, detail="lead")
    if merged:
        InboxItem.objects.filter(pk__in=[i.pk for i in merged]).update(run=run, detail="merged")
    if overflow:
        InboxItem.objects.filter(pk__in=[i.pk for i in overflow]).update(
            run=run, detail="summarised"
        )
    refused = [item.id for item in batch.refused]
    if refused:
        InboxItem.objects.filter(pk__in=refused).update(
            outcome=InboxItem.Outcome.REFUSED,
            detail="more messages were waiting than the queue holds",
            ended_at=timezone.now(),
        )
    for item, part in ((lead, "lead"), *((i, "merged") for i in merged)):
        item.detail = part
    for item in overflow:
        item.detail = "summarised"
    return [lead, *merged, *overflow]


def _prompt_entry(turn: Turn, batch: Batch, items: Sequence[InboxItem]) -> list[Entry]:
    text = prompt_text(batch)
    references = [ref for item in items if item.detail != "summarised" for ref in item.attachments]
    content: Any = text
    if references and turn.snapshot is not None:
        blocks = attachment_blocks(references=references, workspace=turn.snapshot.workspace)
        content = [{"type": "text", "text": text}, *blocks] if text.strip() else blocks
    body = {"role": "user", "content": content, "timestamp": now_ms()}
    added = entries_add(turn, [body])
    InboxItem.objects.filter(pk__in=[item.pk for item in items]).update(entry_id=added[0].entry_id)
    return added


def _touch(session: Session, transcript: Transcript, lead: InboxItem) -> None:
    now = timezone.now()
    changes: dict[str, Any] = {
        "updated_at": now,
        "last_interaction_at": now,
        "preview": shorten(lead.text, 240),
    }
    if not session.title:
        changes["title"] = session.title = shorten(lead.text, 60)
    Session.objects.filter(pk=session.pk).update(**changes)
    Transcript.objects.filter(pk=transcript.pk).update(last_interaction_at=now)


def _resume(session: Session, run: Run, worker_id: str) -> Turn:
    options = run.items.filter(wire_id=run.wire_id).values_list("options", flat=True).first() or {}
    snapshot, model, failure = _agent(session, options)
    with write_transaction():
        _raise_fence(session)
        return run_resume(
            session=session,
            run=run,
            worker_id=worker_id,
            snapshot=snapshot,
            model=model,
            failure=failure,
        )


def entry_json(entry: Entry) -> dict[str, Any]:
    """An entry as live records show it."""
    return {
        "id": entry.entry_id,
        "parentId": entry.parent_id or None,
        "seq": entry.seq,
        "role": entry.role,
        "runId": entry.run_id,
        "transcript": entry.transcript_id,
        "message": entry.body,
    }
