"""The rows of compactions: the summary as an entry, and a diagnosis of every try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents.context.tokens import message_tokens, messages_tokens
from agents.core.messages import Message, ToolResultMessage, blocks_text
from agents.database import write_transaction
from agents.ids import entry_id
from agents.rows import row_update, rows_insert
from sessions.models import Compaction, Entry, Transcript
from sessions.turns.history import Branch, history_note
from sessions.turns.turn import Turn
from sessions.turns.writes import fence_check

_TOP = 5


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The numbers of one try, as its Compaction row keeps them."""

    trigger: str
    attempt: int
    provider: str
    model: str
    messages_before: int = 0
    history_chars: int = 0
    tool_result_chars: int = 0
    tokens_before: int = 0
    top: tuple[dict[str, Any], ...] = ()


def diagnose(items: Sequence[tuple[str, Message]]) -> dict[str, Any]:
    """What the history weighs, and which of its messages weigh most."""
    weights = sorted(
        ((message_tokens(message), entry, message) for entry, message in items),
        key=lambda one: one[0],
        reverse=True,
    )
    return {
        "messages_before": len(items),
        "history_chars": sum(_chars(message) for _, message in items),
        "tool_result_chars": sum(
            _chars(message) for _, message in items if isinstance(message, ToolResultMessage)
        ),
        "top": tuple(
            {
                "entry": entry,
                "role": message.role,
                "tool": getattr(message, "tool_name", ""),
                "tokens": tokens,
            }
            for tokens, entry, message in weights[:_TOP]
        ),
    }


def _chars(message: Message) -> int:
    if isinstance(message, ToolResultMessage):
        return len(blocks_text(message.content))
    if isinstance(message.content, str):
        return len(message.content)
    return sum(len(getattr(block, "text", "")) for block in message.content)


def compaction_commit(
    turn: Turn, *, body: Mapping[str, Any], row: Compaction, tokens_after: int
) -> Entry:
    """Stores a summary as the new end of the branch, with its diagnosis, in one transaction.

    Raises LeaseLostError; then nothing is stored.
    """
    saved = (turn.next_seq, turn.leaf)
    try:
        with write_transaction():
            fence_check(turn, context_tokens=tokens_after)
            entry = _mark_add(turn, body)
            Transcript.objects.filter(pk=turn.transcript_id).update(
                compactions=F("compactions") + 1
            )
            row.entry_id, row.tokens_after = entry.entry_id, tokens_after
            row.save()
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise
    turn.summarised = True
    return entry


def truncation_store(turn: Turn, body: Mapping[str, Any]) -> Entry:
    """Stores a mark that shortens results. Raises LeaseLostError; then nothing is stored."""
    saved = (turn.next_seq, turn.leaf)
    try:
        with write_transaction():
            fence_check(turn)
            return _mark_add(turn, body)
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise


def _mark_add(turn: Turn, body: Mapping[str, Any]) -> Entry:
    """A compaction entry as the new end of the branch, within the caller's transaction."""
    now = timezone.now()
    entry = Entry(
        transcript_id=turn.transcript_id,
        seq=turn.next_seq,
        entry_id=entry_id(),
        parent_id=turn.leaf,
        type=Entry.Type.COMPACTION,
        body=dict(body),
        run_id=turn.run.pk,
        created_at=now,
    )
    turn.next_seq += 1
    turn.leaf = entry.entry_id
    rows_insert([entry])
    changes = {"leaf": turn.leaf, "next_seq": turn.next_seq, "updated_at": now}
    row_update(Transcript, where={"id": turn.transcript_id}, changes=changes)
    noted: list[tuple[Entry, Message | None]] = [(entry, None)]
    transaction.on_commit(partial(history_note, transcript_id=turn.transcript_id, entries=noted))
    return entry


def compaction_note(turn: Turn, row: Compaction) -> None:
    """Stores only the diagnosis of a try that changed nothing. Raises LeaseLostError."""
    with write_transaction():
        fence_check(turn)
        row.save()


def trim_row(turn: Turn, branch: Branch, *, kept: int, seconds: float, after: int) -> Compaction:
    """The row of a history that was cut without a summary, as a person asked for."""
    model = turn.model
    before = messages_tokens(branch.raw())
    diagnosis = Diagnosis(
        trigger="manual",
        attempt=1,
        provider=model.provider if model else "",
        model=model.id if model else "",
        tokens_before=before,
        **diagnose(branch.items),
    )
    return compaction_row(
        turn,
        diagnosis,
        outcome=Compaction.Outcome.DONE,
        reason="trimmed",
        messages_kept=kept,
        tokens_after=after,
        duration_ms=int(seconds * 1000),
    )


def compaction_row(turn: Turn, diagnosis: Diagnosis, **fields: Any) -> Compaction:
    """A row that is not stored yet. `fields` are its outcome, reason, error, duration."""
    return Compaction(
        session_id=turn.session.pk,
        transcript_id=turn.transcript_id,
        run_id=turn.run.pk,
        trigger=diagnosis.trigger,
        attempt=diagnosis.attempt,
        provider=diagnosis.provider,
        model=diagnosis.model[:200],
        messages_before=diagnosis.messages_before,
        history_chars=diagnosis.history_chars,
        tool_result_chars=diagnosis.tool_result_chars,
        tokens_before=diagnosis.tokens_before,
        top=list(diagnosis.top),
        **fields,
    )
