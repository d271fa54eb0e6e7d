"""The end of a run: last entry, outcome of every message, receipts, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Sum
from django.utils import timezone

from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage
from agents.credentials.services import credential_succeeded
from agents.database import write_transaction
from agents.pricing.find import price_find
from agents.rows import row_update, rows_insert
from sessions.approvals.services import approvals_withdraw
from sessions.budgets.services import budget_release
from sessions.credential_turns import session_credential_move
from sessions.models import Delivery, Entry, InboxItem, ModelCall, Run, Session
from sessions.queueing import shorten
from sessions.turns.advice import ending_advised
from sessions.turns.claim import MERGED, STEERED, SUMMARISED, items_update
from sessions.turns.loose_ends import calls_close
from sessions.turns.shown import answer_extras, entry_shown
from sessions.turns.turn import Turn
from sessions.turns.writes import entries_add, fence_check, model_call_close

OUTCOMES = InboxItem.Outcome
_PARTS = {
    MERGED: OUTCOMES.MERGED,
    STEERED: OUTCOMES.STEERED,
    SUMMARISED: OUTCOMES.SUMMARISED,
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ends. `held` is the last answer, not stored yet; `call` closes its model call."""

    outcome: Run.Outcome
    held: AssistantMessage | None = None
    call: dict[str, Any] | None = None
    number: int = 0
    stop_reason: str = "stop"
    stopped_by: str = ""
    error: ProviderError | None = None
    explanation: str = ""


def turn_finish(turn: Turn, ending: Ending) -> dict[str, Any]:
    """Commits the end and returns the data of the run.end record. Raises LeaseLostError."""
    saved = (turn.next_seq, turn.leaf)
    ending, now = ending_advised(ending), timezone.now()
    try:
        with write_transaction():
            record = _commit(turn, ending, now)
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise
    for (profile, model), asked_at in turn.used.items():
        credential_succeeded(credential=profile, model=model, started=asked_at)
    return record


def _commit(turn: Turn, ending: Ending, now: datetime) -> dict[str, Any]:
    texts = [*turn.texts]
    if ending.held is not None and ending.held.text:
        texts.append(ending.held.text)
    reply = "\n\n".join(texts)
    totals = _totals(turn, ending)
    message = ending.explanation or (ending.error.message if ending.error else "")
    # First of all the fence: whoever lost it must not meet the new holder's entries.
    fence_check(
        turn,
        updated_at=now,
        preview=shorten(reply or message, 240),
        input_tokens=F("input_tokens") + totals["input_tokens"],
        output_tokens=F("output_tokens") + totals["output_tokens"],
        cost=F("cost") + totals["cost"],
        context_tokens=_context(ending.held) or F("context_tokens"),
    )
    _profile_keep(turn)
    added = calls_close(turn) if turn.open_batch else []
    held = ending.held or _explaining(ending)
    if held is not None and _worth_keeping(held):
        added += entries_add(turn, [held])
    last = added[-1].entry_id if added else turn.leaf
    _last_call(turn, ending, last)
    row_update(
        Run,
        where={"id": turn.run.pk},
        changes={
            "state": Run.State.ENDED,
            "outcome": ending.outcome,
            "stop_reason": ending.stop_reason[:32],
            "error_kind": ending.error.reason if ending.error else ("explained" if message else ""),
            "error_message": message,
            "reply": reply,
            "ended_at": now,
            **_answered_by(turn),
            **totals,
        },
    )
    if turn.budgeted:
        budget_release(run_id=turn.run.pk)
    if turn.resumed:
        approvals_withdraw(run_ids=[turn.run.pk], by=ending.stopped_by)
    wires = _items_end(turn, ending, now, last)
    record = _record(turn, ending, now, added, wires, reply, message, totals)
    return record | answer_extras(turn, totals, now)


def _profile_keep(turn: Turn) -> None:
    """A session keeps the credential that answered, so that the service's cache stays warm."""
    session, model = turn.session, turn.model
    if model is None or session.profile_pinned:
        return
    if (model.profile, model.id) in turn.used and model.profile != session.profile:
        # A person may have pinned another one meanwhile.
        rows = Session.objects.filter(pk=session.pk, profile_pinned=False)
        rows.update(profile=model.profile)
        session.profile = model.profile
    if turn.summarised:
        session_credential_move(session=session)


def _answered_by(turn: Turn) -> dict[str, Any]:
    """Columns of the run that are not what they were at its start."""
    changes: dict[str, Any] = {}
    if turn.warnings:
        changes["warnings"] = [*turn.run.warnings, *turn.warnings]
    model = turn.model
    if model is not None and (model.provider, model.id) != (turn.run.provider, turn.run.model):
        turn.run.provider, turn.run.model = model.provider, model.id
        changes |= {"provider": model.provider, "model": model.id}
    return changes


def _explaining(ending: Ending) -> AssistantMessage | None:
    """Stands for an answer that no model gave, so that a later look shows why there is none."""
    if not ending.explanation:
        return None
    return AssistantMessage(
        content=(), stop_reason="error", error_message=ending.explanation, provider="openclaw"
    )


def _worth_keeping(held: AssistantMessage) -> bool:
    """A stopped answer without a word says nothing; a failed one is kept for its error."""
    return bool(held.content) or held.stop_reason != "aborted"


def _context(held: AssistantMessage | None) -> int:
    return held.usage.total if held is not None else 0


_SUMS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost")


def _totals(turn: Turn, ending: Ending) -> dict[str, Any]:
    """Tokens and cost of the run: what this process added up, and what earlier workers stored."""
    last = ending.call or {}
    totals = {name: turn.totals.get(name, 0) + last.get(name, 0) for name in _SUMS}
    if turn.resumed:
        calls = ModelCall.objects.filter(run=turn.run, number__lte=turn.model_calls)
        for name, value in calls.aggregate(**{name: Sum(name) for name in _SUMS}).items():
            totals[name] += value or 0
    return {**totals, "cost_known": bool(turn.model and price_find(turn.model).known)}


def _last_call(turn: Turn, ending: Ending, entry: str) -> None:
    if ending.call is not None:
        model_call_close(turn, ending.number, {**ending.call, "response_entry_id": entry})
    if turn.opened_call > ending.number:
        # It was prepared, but something ended the turn before the request.
        ModelCall.objects.filter(run=turn.run, number__gt=ending.number).delete()


def _items_end(turn: Turn, ending: Ending, now: datetime, last: str) -> list[dict[str, Any]]:
    """Gives every message of the turn its outcome, and those that get the reply a receipt."""
    wires: list[dict[str, Any]] = []
    deliveries: list[Delivery] = []
    groups: dict[tuple[str, str], list[int]] = {}
    for item in turn.items:
        item.outcome = _outcome(item, ending)
        item.detail = ending.stopped_by[:300] if item.outcome == OUTCOMES.STOPPED else ""
        item.ended_at = now
        wire: dict[str, Any] = {"id": item.wire_id, "outcome": str(item.outcome)}
        if item.wire_id != turn.run.wire_id:
            wire["mergedInto"] = turn.run.wire_id
        wires.append(wire)
        deliveries.append(_delivery(turn, item, last, now))
        groups.setdefault((str(item.outcome), item.detail), []).append(item.pk)
    for (outcome, detail), keys in groups.items():
        items_update(keys, outcome=outcome, detail=detail, ended_at=now)
    rows_insert(deliveries)
    return wires


def _outcome(item: InboxItem, ending: Ending) -> InboxItem.Outcome:
    if ending.outcome == Run.Outcome.ABORTED:
        return OUTCOMES.STOPPED
    if ending.outcome == Run.Outcome.ERROR:
        return OUTCOMES.EXPLAINED
    return _PARTS.get(item.detail, OUTCOMES.ANSWERED)


def _delivery(turn: Turn, item: InboxItem, entry: str, now: datetime) -> Delivery:
    # design 12: the receipt of a web, socket or HTTP reply is its entry; nothing is left to send.
    return Delivery(
        run=turn.run,
        item=item,
        kind=str(item.origin.get("kind", ""))[:32],
        target=item.origin,
        entry_id=entry,
        state=Delivery.State.SENT,
        receipt=f"entry:{entry}",
        created_at=now,
        ended_at=now,
    )


def _record(
    turn: Turn,
    ending: Ending,
    now: datetime,
    added: list[Entry],
    wires: list[dict[str, Any]],
    reply: str,
    message: str,
    totals: dict[str, Any],
) -> dict[str, Any]:
    tokens = {name: totals[f"{column}_tokens"] for name, column in _USAGE.items()}
    return {
        "entries": [entry_shown(turn, entry) for entry in added],
        "state": str(ending.outcome),
        "text": reply,
        "stopReason": ending.stop_reason,
        "errorKind": ending.error.reason if ending.error else ("explained" if message else ""),
        "errorMessage": message,
        "usage": {**tokens, "cost": {"total": totals["cost"]} if totals["cost_known"] else None},
        "provider": turn.run.provider,
        "model": turn.run.model,
        "startedAt": int(turn.run.started_at.timestamp() * 1000),
        "endedAt": int(now.timestamp() * 1000),
        "entryId": added[-1].entry_id if added else turn.leaf,
        "wires": wires,
    }


_USAGE = {
    "input": "input",
    "output": "output",
    "cacheRead": "cache_read",
    "cacheWrite": "cache_write",
}
