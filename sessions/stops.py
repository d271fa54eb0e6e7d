"""Ending work: one run, everything of a session, or everything there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils import timezone

from agents.config.cache import cached, change_announce
from agents.core.errors import UserError
from agents.core.principal import Principal
from agents.database import write_transaction
from sessions.access import session_not_found, visible_sessions
from sessions.approvals.services import approvals_withdraw
from sessions.ended_records import ended_record
from sessions.live import control_publish, record_emit_sync
from sessions.locks import session_lock
from sessions.models import InboxItem, Run, Session, Switch
from sessions.wake import wake

SWITCH = "everything"


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a stop reached: ending runs with their wire ids, and messages that never started."""

    runs: tuple[str, ...]
    running: tuple[str, ...]
    waiting: tuple[str, ...]


def run_stop(
    *, principal: Principal, session_key: str, run_id: str | None = None, kind: str = "rpc"
) -> list[str]:
    """Stops one run, or everything of the session, and returns the wire ids that it reached.

    A waiting message ends at once; a running turn ends as soon as its worker hears of it. Raises
    NotFound for a session of somebody else and UserError for a run of another session.
    """
    session = visible_sessions(principal).filter(key=session_key).first()
    if session is None:
        if run_id is None:
            return []
        raise session_not_found(session_key)
    if run_id is not None:
        _check_run(session, run_id)
    by = principal.name or principal.id
    stopped = _stop(session, run_id, kind, by)
    if stopped.runs:
        control_publish(
            {"t": "stop", "session": session.pk, "runs": stopped.runs, "kind": kind, "by": by}
        )
        wake(session.pk)
    if stopped.waiting:
        stopped_show(session=session, wires=stopped.waiting, kind=kind)
    return [*stopped.running, *stopped.waiting]


def _check_run(session: Session, run_id: str) -> None:
    others = InboxItem.objects.filter(wire_id=run_id).exclude(session=session)
    if others.exists() and not InboxItem.objects.filter(wire_id=run_id, session=session).exists():
        raise UserError("runId does not match sessionKey")


def _stop(session: Session, run_id: str | None, kind: str, by: str) -> Stopped:
    open_items = InboxItem.objects.filter(session=session, outcome="")
    with write_transaction():
        session_lock(session.pk)
        waiting = open_items.filter(run=None)
        running = Run.objects.filter(session=session).exclude(state=Run.State.ENDED)
        if run_id is not None:
            waiting = waiting.filter(wire_id=run_id)
            running = running.filter(
                Q(wire_id=run_id) | Q(id=run_id) | Q(items__wire_id=run_id)
            ).distinct()
        run_ids = list(running.values_list("id", flat=True))
        wires = list(open_items.filter(run_id__in=run_ids).values_list("wire_id", flat=True))
        Run.objects.filter(id__in=run_ids, stop_kind="").update(stop_kind=kind, stop_by=by[:120])
        if run_ids:
            approvals_withdraw(run_ids=run_ids, by=by)
        waiting_ids = _waiting_end(waiting, by)
    return Stopped(tuple(run_ids), tuple(wires), waiting_ids)


def waiting_stop(*, session: Session, by: str) -> tuple[str, ...]:
    """Ends every message of a session that no turn has taken yet; returns their wire ids.

    Within the caller's transaction, with the session locked; `stopped_show` comes after it.
    """
    return _waiting_end(InboxItem.objects.filter(session=session, outcome="", run=None), by)


def _waiting_end(waiting: QuerySet[InboxItem], by: str) -> tuple[str, ...]:
    wires = tuple(waiting.order_by("id").values_list("wire_id", flat=True))
    if wires:
        waiting.update(
            outcome=InboxItem.Outcome.STOPPED,
            detail=f"stopped by {by}"[:300],
            ended_at=timezone.now(),
        )
    return wires


def stopped_show(*, session: Session, wires: Sequence[str], kind: str) -> None:
    """Tells who watches that messages ended without a turn. Call it after the commit."""
    for wire in wires:
        record = ended_record(
            session=session,
            wire=wire,
            state="aborted",
            outcome=InboxItem.Outcome.STOPPED,
            stop_reason=kind,
        )
        record_emit_sync(session_id=session.pk, record=record)


def everything_stopped() -> bool:
    """Whether the switch is off: nothing may start, messages wait."""
    return Switch.objects.filter(name=SWITCH, stopped=True).exists()


def everything_stopped_lately() -> bool:
    """The same, remembered for a second: for the path of every message."""
    return cached("everything_stopped", everything_stopped)


def everything_stop(*, by: str, reason: str = "") -> None:
    """Stops all agents, schedules and deliveries. Running turns are stopped, messages wait."""
    now = timezone.now()
    with write_transaction():
        Switch.objects.update_or_create(
            name=SWITCH,
            defaults={"stopped": True, "by": by[:120], "reason": reason[:300], "changed_at": now},
        )
        running = Run.objects.filter(state=Run.State.RUNNING, stop_kind="")
        running.update(stop_kind="stop", stop_by=by[:120])
    change_announce()
    control_publish({"t": "stop", "session": "*", "kind": "stop", "by": by})


def everything_resume(*, by: str) -> None:
    """Lets everything start again and rings for each session that has something waiting."""
    with write_transaction():
        Switch.objects.update_or_create(
            name=SWITCH,
            defaults={"stopped": False, "by": by[:120], "reason": "", "changed_at": timezone.now()},
        )
    change_announce()
    waiting = InboxItem.objects.filter(outcome="").order_by().values_list("session_id", flat=True)
    for session_id in waiting.distinct():
        wake(session_id)
