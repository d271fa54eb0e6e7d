"""Carrying on a run whose worker died or was stopped, from its last committed entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

from agents.core.json_codec import message_from_json
from agents.core.messages import AssistantMessage, Text, ToolResultMessage
from agents.core.model import ModelInfo
from agents.core.tools import ToolResult
from sessions.models import Entry, InboxItem, ModelCall, Run, Session, ToolCall
from sessions.receipts import principal_from_json
from sessions.turns.history import branch_messages, history_forget
from sessions.turns.turn import Turn

if TYPE_CHECKING:
    from agents.selectors import AgentSnapshot

# design 2: after three resumptions the person gets one notice with the reason.
MAX_RESUMPTIONS = 3
INTERRUPTED = (
    "Interrupted: the worker stopped while this tool ran, and its outcome is unknown. "
    "It was not run again, because running it twice might do harm. Check before repeating it."
)


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

    A planned restart does not count as a resumption. Calls that were started and may not be
    repeated get an answer that says so; a model call is simply made again.
    """
    planned = run.worker == ""
    transcript = run.transcript
    now = timezone.now()
    run.fence, run.worker = session.fence, worker_id[:64]
    if not planned:
        run.resumptions += 1
    reason = "restart" if planned else "the worker stopped without a word"
    run.resumed = [*run.resumed, {"at": now.isoformat(), "worker": worker_id, "reason": reason}]
    run.state = Run.State.RUNNING
    run.save(update_fields=["state", "fence", "worker", "resumptions", "resumed"])
    ModelCall.objects.filter(run=run, state=ModelCall.State.RUNNING).update(
        state=ModelCall.State.INTERRUPTED, ended_at=now
    )
    if run.resumptions > MAX_RESUMPTIONS:
        failure = f"The turn was interrupted {run.resumptions} times and was given up."
    history_forget(transcript_id=transcript.pk)
    items = list(run.items.filter(outcome="").order_by("id"))
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
        history=branch_messages(transcript_id=transcript.pk, leaf=transcript.leaf),
        next_seq=transcript.next_seq,
        leaf=transcript.leaf,
        failure=failure,
        resumed=True,
        model_calls=ModelCall.objects.filter(run=run).count(),
        texts=_texts(run),
        answers=_known_answers(run),
    )


def _principal(lead: InboxItem | None, run: Run) -> Any:
    return principal_from_json(lead.principal) if lead else run.person.principal()


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
            answers[call.call_id] = ToolResult(content=(Text(INTERRUPTED),), is_error=True)
            ToolCall.objects.filter(pk=call.pk).update(
                state=ToolCall.State.INTERRUPTED,
                result={"content": [{"type": "text", "text": INTERRUPTED}], "isError": True},
                ended_at=timezone.now(),
            )
    return answers


def result_from_json(result: dict[str, Any], details: dict[str, Any]) -> ToolResult:
    """A stored tool result as the loop takes it."""
    message = message_from_json(
        {
            "role": "toolResult",
            "toolCallId": "",
            "toolName": "",
            "content": result.get("content", []),
            "isError": result.get("isError", False),
            "timestamp": 0,
        }
    )
    if not isinstance(message, ToolResultMessage):
        raise TypeError("a stored tool result did not read back as one")
    return ToolResult(content=message.content, details=details, is_error=message.is_error)
