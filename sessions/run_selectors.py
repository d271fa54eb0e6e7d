"""Reads: runs, how they stand, and how they ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal, cast

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import NotFound
from agents.core.principal import Principal
from sessions.models import Compaction, HookCall, InboxItem, ModelCall, Run

WireState = Literal["waiting", "running", "parked", "final", "aborted", "error", "unknown"]


# What a run may have been through, and the attribute that says so.
HAPPENINGS = {"failover": "failed_over", "compaction": "compacted"}
_HAPPENINGS: dict[str, Any] = {
    "failed_over": Exists(
        ModelCall.objects.filter(run=OuterRef("pk"), action__in=("rotate", "fallback"))
    ),
    "compacted": Exists(
        Compaction.objects.filter(run=OuterRef("pk"), outcome=Compaction.Outcome.DONE)
    ),
}
# Beyond them a day has no end, or no begin in UTC.
_DAYS = (date(1970, 1, 1), date(9000, 1, 1))


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How the message behind a wire id stands. `text` is the answer, or its part when aborted."""

    run_id: str
    state: WireState
    session_key: str = ""
    session_id: str = ""
    agent: str = ""
    internal_id: str = ""
    outcome: str = ""
    text: str = ""
    stop_reason: str = ""
    error_kind: str = ""
    error_message: str = ""
    merged_into: str = ""
    provider: str = ""
    model: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Whether there will be no further change."""
        return self.state in ("final", "aborted", "error")


def visible_runs(principal: Principal) -> QuerySet[Run]:
    """The runs that `principal` may know of."""
    runs = Run.objects.select_related("session", "person")
    if principal.is_owner:
        return runs
    return runs.filter(Q(session__owner_id=principal.id) | Q(person_id=principal.id))


def run_find(*, principal: Principal, run_id: str) -> Run:
    """A run by its own id or by a wire id. Raises NotFound."""
    runs = visible_runs(principal)
    runs = runs.annotate(**_HAPPENINGS)
    run = runs.filter(Q(id=run_id) | Q(wire_id=run_id)).order_by("-started_at").first()
    if run is None:
        run = runs.filter(items__wire_id=run_id).first()
    if run is None:
        raise NotFound(_("There is no run %(id)s.") % {"id": run_id})
    return run


def runs_list(
    *,
    principal: Principal,
    agent: str = "",
    session: str = "",
    state: str = "",
    day: date | None = None,
    had: str = "",
    limit: int = 50,
    offset: int = 0,
) -> list[Run]:
    """Visible runs, newest first. `state` is a state or an outcome; `day` is a UTC day.

    `had` leaves those to which that happened: "failover" (another credential or model was asked)
    or "compaction" (history was summarised). Each run tells both as `failed_over`, `compacted`.
    """
    runs = visible_runs(principal).annotate(**_HAPPENINGS)
    if had:
        runs = runs.filter(**{HAPPENINGS[had]: True}) if had in HAPPENINGS else runs.none()
    if agent:
        runs = runs.filter(agent_slug=agent)
    if session:
        runs = runs.filter(Q(session__key=session) | Q(session_id=session))
    if state in Run.Outcome.values:
        runs = runs.filter(outcome=state)
    elif state:
        runs = runs.filter(state=state)
    if day is not None and not _DAYS[0] <= day <= _DAYS[1]:
        return []
    if day is not None:
        start = datetime(day.year, day.month, day.day, tzinfo=timezone.get_current_timezone())
        runs = runs.filter(started_at__gte=start, started_at__lt=start + timedelta(days=1))
    return list(runs.order_by("-started_at")[offset : offset + limit])


def run_hook_calls(run: Run) -> QuerySet[HookCall]:
    """What hooks did in a run and when its messages came in, in order of their start."""
    return HookCall.objects.filter(Q(run=run) | Q(item__run=run)).order_by("started_at", "id")


def active_runs(*, principal: Principal) -> list[Run]:
    """Visible runs that have not ended, oldest first."""
    return list(visible_runs(principal).exclude(state=Run.State.ENDED).order_by("started_at"))


def run_status(*, principal: Principal, run_id: str) -> RunStatus:
    """How one wire id stands; state "unknown" when there is none that the caller may know of."""
    items = InboxItem.objects.filter(wire_id=run_id)
    if not principal.is_owner:
        items = items.filter(Q(person_id=principal.id) | Q(session__owner_id=principal.id))
    return next(iter(_statuses(items)), RunStatus(run_id, "unknown"))


def run_statuses(*, run_ids: Sequence[str]) -> dict[str, RunStatus]:
    """How many wire ids stand, in one query. For callers that know they may ask."""
    items = InboxItem.objects.filter(wire_id__in=run_ids)
    return {status.run_id: status for status in _statuses(items)}


def _statuses(items: QuerySet[InboxItem]) -> Iterable[RunStatus]:
    for item in items.select_related("session", "run").order_by("id"):
        yield _status(item)


def _status(item: InboxItem) -> RunStatus:
    run, session = item.run, item.session
    base: dict[str, Any] = {
        "run_id": item.wire_id,
        "session_key": session.key,
        "session_id": session.current_id or "",
        "agent": session.agent_slug,
        "outcome": item.outcome,
        "started_at": run.started_at if run else None,
        "ended_at": item.ended_at,
    }
    if not item.outcome:
        if run is None:
            return RunStatus(state="waiting", **base)
        state: WireState = "parked" if run.state == Run.State.PARKED else "running"
        return RunStatus(state=state, internal_id=run.id, **base)
    if run is None:
        return _ended_without_run(item, base)
    if run.state != Run.State.ENDED:
        return RunStatus(state="running", internal_id=run.id, **base)
    return RunStatus(
        state=cast(WireState, run.outcome),
        internal_id=run.id,
        text=run.reply,
        stop_reason=run.stop_reason,
        error_kind=run.error_kind,
        error_message=run.error_message,
        merged_into=run.wire_id if run.wire_id != item.wire_id else "",
        provider=run.provider,
        model=run.model,
        usage=run_usage(run),
        **base,
    )


def _ended_without_run(item: InboxItem, base: dict[str, Any]) -> RunStatus:
    outcomes = InboxItem.Outcome
    if item.outcome == outcomes.STOPPED:
        return RunStatus(state="aborted", stop_reason="stop", **base)
    if item.outcome == outcomes.ANSWERED:
        return RunStatus(state="final", stop_reason="stop", text=item.detail, **base)
    return RunStatus(state="error", error_kind="refused", error_message=item.detail, **base)


def run_usage(run: Run) -> dict[str, Any]:
    """Tokens and money of a run, in the field names of the protocol."""
    return {
        "input": run.input_tokens,
        "output": run.output_tokens,
        "cacheRead": run.cache_read_tokens,
        "cacheWrite": run.cache_write_tokens,
        "totalTokens": run.input_tokens
        + run.output_tokens
        + run.cache_read_tokens
        + run.cache_write_tokens,
        "cost": {"total": run.cost} if run.cost_known else None,
    }
