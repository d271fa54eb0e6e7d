"""The writes of a turn. Each one checks the fence in the same transaction."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.core.json_codec import message_from_json, message_to_json
from agents.core.messages import AssistantMessage, Message
from agents.core.model import ModelInfo
from agents.database import write_transaction
from agents.ids import entry_id
from agents.rows import row_update, rows_insert
from sessions.approvals.config_section import approvals_settings
from sessions.approvals.parking import Asked, approvals_make
from sessions.models import Entry, ModelCall, Run, Session, ToolCall, Transcript
from sessions.turns.history import history_note
from sessions.turns.hook_rows import turn_hook_calls_add
from sessions.turns.turn import LeaseLostError, Turn

_JUDGED = ("state", "verdict", "verdict_reason", "started_at")


def fence_check(turn: Turn, **changes: Any) -> None:
    """Raises LeaseLostError unless the session is still under this turn's fence.

    `changes` are columns of the session to set in the same statement. Call it inside the
    transaction of the write: the row stays locked until the commit.
    """
    changes.setdefault("updated_at", timezone.now())
    where = {"id": turn.session.pk, "fence": turn.fence}
    if any(hasattr(value, "resolve_expression") for value in changes.values()):
        held = Session.objects.filter(**where).update(**changes)
    else:
        held = row_update(Session, where=where, changes=changes)
    if not held:
        raise LeaseLostError(f"session {turn.session.pk} is no longer under fence {turn.fence}")
    turn.last_commit = time.monotonic()
    if turn.hook_calls:
        turn_hook_calls_add(turn)


def entries_add(
    turn: Turn,
    messages: Sequence[Message | Mapping[str, Any]],
    *,
    interaction: bool = False,
    role: str = "",
) -> list[Entry]:
    """Adds messages to the active branch, within the caller's transaction.

    Mappings are stored as they are (a user message with references to files). `interaction` marks
    that a person wrote. `role` says who wrote what stands in the place of a person's message.
    """
    now = timezone.now()
    added: list[Entry] = []
    for message in messages:
        body = message if isinstance(message, Mapping) else message_to_json(message)
        entry = Entry(
            transcript_id=turn.transcript_id,
            seq=turn.next_seq,
            entry_id=entry_id(),
            parent_id=turn.leaf,
            role=role or body["role"],
            body=body,
            run_id=turn.run.pk,
            created_at=now,
        )
        turn.next_seq += 1
        turn.leaf = entry.entry_id
        added.append(entry)
    rows_insert(added)
    changes = {"leaf": turn.leaf, "next_seq": turn.next_seq, "updated_at": now}
    if interaction:
        changes["last_interaction_at"] = now
    row_update(Transcript, where={"id": turn.transcript_id}, changes=changes)
    noted = [
        (entry, message_from_json(message) if isinstance(message, Mapping) else message)
        for entry, message in zip(added, messages, strict=True)
    ]
    transaction.on_commit(partial(history_note, transcript_id=turn.transcript_id, entries=noted))
    return added


def batch_commit(
    turn: Turn,
    *,
    answer: AssistantMessage | None,
    calls: Sequence[Mapping[str, Any]],
    call: Mapping[str, Any] | None,
    number: int,
) -> list[Entry]:
    """Stores an answer with tool calls, its model call, and every call with its verdict.

    `answer` is None when a resumed turn enters at a batch whose answer is stored already.
    """
    saved = (turn.next_seq, turn.leaf)
    try:
        with write_transaction():
            fence_check(turn)
            added = entries_add(turn, [answer]) if answer is not None else []
            entry = added[0].entry_id if added else _batch_entry(turn)
            if call is not None:
                model_call_close(turn, number, {**call, "response_entry_id": entry})
            _tool_rows(turn, entry, calls)
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise
    turn.open_batch = entry
    return added


def _batch_entry(turn: Turn) -> str:
    newest = (
        Entry.objects.filter(transcript_id=turn.transcript_id, run_id=turn.run.pk, role="assistant")
        .order_by("-seq")
        .values_list("entry_id", flat=True)
        .first()
    )
    return newest or turn.leaf


def _tool_rows(turn: Turn, entry: str, calls: Sequence[Mapping[str, Any]]) -> None:
    known = set(
        ToolCall.objects.filter(run=turn.run, entry_id=entry).values_list("call_id", flat=True)
        if turn.resumed
        else ()
    )
    rows = [
        ToolCall(run=turn.run, entry_id=entry, position=position, **fields)
        for position, fields in enumerate(calls)
        if fields["call_id"] not in known
    ]
    ToolCall.objects.bulk_create(rows)
    for fields in calls:
        if fields["call_id"] in known:
            ToolCall.objects.filter(run=turn.run, entry_id=entry, call_id=fields["call_id"]).update(
                **{
                    name: fields[name]
                    for name in ("state", "verdict", "verdict_reason", "started_at")
                }
            )


def tool_result_store(turn: Turn, *, call_id: str, changes: Mapping[str, Any]) -> None:
    """Stores the result of one call, so that a killed turn knows it."""
    with write_transaction():
        fence_check(turn)
        newest = ToolCall.objects.filter(run=turn.run, call_id=call_id).order_by("-id").first()
        if newest is not None:
            ToolCall.objects.filter(pk=newest.pk).update(**changes)


def results_commit(turn: Turn, messages: Sequence[Message], number: int) -> list[Entry]:
    """Stores tool results as entries, and opens the model call `number` that reads them."""
    saved = (turn.next_seq, turn.leaf)
    try:
        with write_transaction():
            fence_check(turn)
            added = entries_add(turn, messages)
            model_call_open(turn, number=number)
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise
    turn.open_batch = ""
    return added


def model_call_open(turn: Turn, *, number: int, attempt: int = 1) -> None:
    """Makes the row of the next model call, within the caller's transaction.

    It is made together with what leads to the call, so that it costs no transaction of its own;
    what the request held is added when the call ends.
    """
    if turn.model is None:
        return
    rows_insert([_model_call(turn, number, turn.model, attempt=attempt)])
    turn.opened_call = number


def model_call_close(turn: Turn, number: int, fields: Mapping[str, Any]) -> None:
    """Records how a request ended, within the caller's transaction.

    A resumed turn may have a call without a row; then it is made now.
    """
    where = {"run_id": turn.run.pk, "number": number}
    if row_update(ModelCall, where=where, changes=fields) or turn.model is None:
        return
    rows_insert([_model_call(turn, number, turn.model, **fields)])


def _model_call(turn: Turn, number: int, asked: ModelInfo, **fields: Any) -> ModelCall:
    columns: dict[str, Any] = {
        "provider": asked.provider,
        "model": asked.id,
        "api": asked.api,
        "profile": asked.profile,
        "last_seq": turn.next_seq - 1,
        "leaf": turn.leaf,
    }
    return ModelCall(run_id=turn.run.pk, number=number, **{**columns, **fields})


def run_park(turn: Turn, asks: Sequence[Asked] = ()) -> None:
    """Leaves the run waiting for a decision; it holds the session but no lane, slot or thread.

    The rows of its questions are made with it.
    """
    approvals_settings()  # read before the lock is held
    with write_transaction():
        fence_check(turn)
        approvals_make(turn, asks)
        Run.objects.filter(pk=turn.run.pk).update(
            state=Run.State.PARKED, worker="", parked_at=timezone.now()
        )
