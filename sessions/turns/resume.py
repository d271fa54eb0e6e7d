"""Carrying on a run whose worker died or was stopped, from its last committed entry."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.utils import timezone

from agents.core.json_codec import message_from_json
from agents.core.messages import AssistantMessage
from agents.core.model import ModelInfo
from agents.core.principal import Principal
from agents.core.tools import ToolResult
from sessions.budgets.services import budget_release
from sessions.models import Entry, InboxItem, ModelCall, Person, Run, Session, ToolCall
from sessions.receipts import principal_from_json
from sessions.turns.history import history_forget
from sessions.turns.limits import unparked
from sessions.turns.loose_ends import call_interrupt, open_batch_of, result_from_json
from sessions.turns.turn import Turn

if TYPE_CHECKING:
    from agents.selectors import AgentSnapshot

_RESUMED = (
    "state", "fence", "worker", "resumptions", "resumed", "parked_at", "parked_seconds",
)  # fmt: skip
# design 2: after three resumptions the person gets one notice with the reason.
MAX_RESUMPTIONS = 3


def run_resume(
    *,
    session: Session,
    run: Run,
    worker_id: str,
    snapshot: AgentSnapshot | None,
    model: ModelInfo | None,
    failure: str,
) -> Turn:
    """The turn of an open run under a new fence, within the caller's transaction.

    Its history is left to the caller. A planned restart does not count as a resumption. Calls that
    were started and may not be repeated get an answer that says so; a model call is simply made
    again.
    """
    planned = run.worker == ""
    transcript = run.transcript
    now = timezone.now()
    run.fence, run.worker = session.fence, worker_id[:64]
    if not planned:
        run.resumptions += 1
    reason = "restart" if planned else "the worker stopped without a word"
    if run.state == Run.State.PARKED:
        reason = "stop" if run.stop_kind else "decision"
    run.resumed = [*run.resumed, {"at": now.isoformat(), "worker": worker_id, "reason": reason}]
    run.state = Run.State.RUNNING
    unparked(run, now)
    run.save(update_fields=_RESUMED)
    budget_release(run_id=run.pk)
    ModelCall.objects.filter(run=run, state=ModelCall.State.RUNNING).update(
        state=ModelCall.State.INTERRUPTED, ended_at=now
    )
    if run.resumptions > MAX_RESUMPTIONS:
        failure = f"The turn was interrupted {run.resumptions} times and was given up."
    history_forget(transcript_id=transcript.pk)
    items = list(run.items.filter(outcome="").order_by("id"))
    # Its options hold for the whole turn, as they did before.
    items.sort(key=lambda item: item.wire_id != run.wire_id)
    lead = next((item for item in items if item.wire_id == run.wire_id), None)
    return Turn(
        session=session,
        transcript_id=transcript.pk,
        run=run,
        fence=session.fence,
        principal=_principal(lead, run),
        snapshot=snapshot,
        model=model,
        items=items,
        history=[],
        next_seq=transcript.next_seq,
        leaf=transcript.leaf,
        failure=failure,
        resumed=True,
        # Nobody counted what waits behind it; the engine looks once more.
        more=True,
        model_calls=ModelCall.objects.filter(run=run).count(),
        texts=_texts(run),
        answers=_known_answers(run),
        open_batch=open_batch_of(run),
    )


def _principal(lead: InboxItem | None, run: Run) -> Principal:
    """Who the turn belongs to, with no right that the person has lost while it waited."""
    if lead is None:
        return run.person.principal()
    asked = principal_from_json(lead.principal)
    person = Person.objects.filter(pk=asked.id).select_related("user").first()
    if person is None:
        return asked
    is_out = person.user is not None and not person.user.is_active
    scopes = tuple(one for one in asked.scopes if one in person.scopes and not is_out)
    is_owner = asked.is_owner and person.is_owner and not is_out
    return replace(asked, is_owner=is_owner, scopes=scopes)


def _texts(run: Run) -> list[str]:
    rows = Entry.objects.filter(transcript=run.transcript, run_id=run.pk, role="assistant")
    texts = []
    for body in rows.order_by("seq").values_list("body", flat=True):
        message = message_from_json(body)
        if isinstance(message, AssistantMessage) and message.text:
            texts.append(message.text)
    return texts


def _known_answers(run: Run) -> dict[str, ToolResult]:
    """Results of the newest batch that are known, or that must not be sought again."""
    newest = ToolCall.objects.filter(run=run).order_by("-id").first()
    if newest is None:
        return {}
    answers: dict[str, ToolResult] = {}
    for call in ToolCall.objects.filter(run=run, entry_id=newest.entry_id):
        if call.result is not None:
            answers[call.call_id] = result_from_json(call.result, call.details)
        elif call.state == ToolCall.State.STARTED and not call.repeatable:
            answers[call.call_id] = call_interrupt(call)
    return answers
