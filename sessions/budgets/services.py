"""Holding, settling and giving back what model calls may spend. Safe over many workers.

A window's row is changed by one conditional UPDATE, so that two calls can never take the same
rest. Everything a call holds is taken together or not at all, windows always in the same order.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError
from django.db.models import F, Q, QuerySet, Sum, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from agents.core.model import ModelInfo
from agents.database import write_transaction
from sessions.budgets.estimates import call_estimate
from sessions.budgets.limits import Spender, WindowKey, budgets_present, windows_for
from sessions.budgets.wording import Amount, refusal_text
from sessions.models import Budget, BudgetHold, BudgetWindow, Run

log = structlog.get_logger(__name__)

# Sums of binary fractions differ from what is meant by less than this, in US dollars.
_DUST = 1e-9
# A hold of an ended run is only left over when it is older than this.
_SETTLING = timedelta(minutes=5)


class _RefusedError(Exception):
    """A window has too little left; what was held of others is rolled back."""

    def __init__(self, key: WindowKey) -> None:
        super().__init__()
        self.key = key


def budget_reserve(
    *,
    run_id: str,
    number: int,
    agent: str,
    person: str,
    model: ModelInfo,
    input_tokens: int,
    output_tokens: int,
) -> str:
    """Holds what a model call may cost in every budget that applies to it.

    "" when it may be made; otherwise nothing is held and the answer says why, with the amounts
    and when the limit renews. `output_tokens` is the cap of the answer; at most 16,384 of it are
    held. Makes no query while there is no budget. Must be followed by `budget_settle`.
    """
    if not budgets_present():
        return ""
    now = timezone.now()
    keys = windows_for(spender=Spender(run_id, agent, person), now=now)
    if not keys:
        return ""
    wanted = call_estimate(model=model, input_tokens=input_tokens, output_tokens=output_tokens)
    windows = [(key, found) for key in keys if (found := _window(key)) is not None]
    try:
        with write_transaction():
            for key, window_id in windows:
                _take(key, window_id, wanted)
            BudgetHold.objects.bulk_create(
                BudgetHold(
                    window_id=window_id,
                    run_id=run_id,
                    number=number,
                    usd=wanted.usd,
                    tokens=wanted.tokens,
                )
                for _key, window_id in windows
            )
    except _RefusedError as refused:
        return _refusal(refused.key, wanted, run_id, now)
    return ""


def budget_settle(*, run_id: str, number: int, usd: float, tokens: int) -> None:
    """Counts what a call really took, and gives back what was held beyond it.

    `tokens` are all of them, cached ones too. A call that held nothing counts nowhere: no budget
    applied to it. Does nothing the second time. Makes no query while there is no budget.
    """
    if budgets_present():
        holds = BudgetHold.objects.filter(run_id=run_id, number=number)
        _settle(holds, Amount(usd, tokens))


def budget_release(*, run_id: str) -> int:
    """Gives back everything that a run still holds (its worker died, or it has ended).

    Returns how many holds there were. Makes no query while there is no budget.
    """
    if not budgets_present():
        return 0
    return _settle(BudgetHold.objects.filter(run_id=run_id), Amount())


def budget_holds_prune() -> int:
    """Gives back what runs hold that have ended or are gone; returns how many holds."""
    if not budgets_present():
        return 0
    old = BudgetHold.objects.filter(created_at__lt=timezone.now() - _SETTLING)
    names = list(old.order_by().values_list("run_id", flat=True).distinct())
    unended = Run.objects.filter(pk__in=names).exclude(state=Run.State.ENDED)
    working = set(unended.values_list("id", flat=True))
    count = sum(budget_release(run_id=name) for name in names if name not in working)
    if count:
        log.warning("budget.holds_given_back", count=count)
    return count


def budget_window_reset(*, window: BudgetWindow) -> None:
    """Begins a window anew: nothing of it is spent. What is held for running calls stays."""
    BudgetWindow.objects.filter(pk=window.pk).update(spent_usd=0.0, spent_tokens=0)


def _window(key: WindowKey) -> int | None:
    """The key's window, made with what was spent in it before the budget existed.

    None when the budget was removed a moment ago.
    """
    where = {"budget_id": key.limit.id, "target": key.target, "starts_at": key.starts_at}
    found = BudgetWindow.objects.filter(**where).values_list("id", flat=True).first()
    if found is not None:
        return found
    spent = _spent_before(key)
    defaults = {"spent_usd": spent.usd, "spent_tokens": spent.tokens}
    try:
        return BudgetWindow.objects.get_or_create(**where, defaults=defaults)[0].pk
    except IntegrityError:
        return None


def _spent_before(key: WindowKey) -> Amount:
    if key.limit.period == Budget.Period.RUN:
        return Amount()
    runs = Run.objects.filter(started_at__gte=key.starts_at).order_by()
    if key.limit.scope == Budget.Scope.AGENT:
        runs = runs.filter(agent_slug=key.target)
    elif key.limit.scope == Budget.Scope.PERSON:
        runs = runs.filter(person_id=key.target)
    columns = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    sums = runs.aggregate(
        usd=Sum("cost", default=0.0), **{name: Sum(name, default=0) for name in columns}
    )
    return Amount(sums["usd"], sum(sums[name] for name in columns))


def _take(key: WindowKey, window_id: int, wanted: Amount) -> None:
    fits = Q(pk=window_id)
    if key.limit.usd is not None and wanted.usd > 0:
        rest = Value(key.limit.usd - wanted.usd + _DUST) - F("held_usd")
        fits &= Q(spent_usd__lte=rest)
    if key.limit.tokens is not None:
        fits &= Q(spent_tokens__lte=Value(key.limit.tokens - wanted.tokens) - F("held_tokens"))
    taken = BudgetWindow.objects.filter(fits).update(
        held_usd=F("held_usd") + wanted.usd, held_tokens=F("held_tokens") + wanted.tokens
    )
    if not taken:
        raise _RefusedError(key)


def _refusal(key: WindowKey, wanted: Amount, run_id: str, now: datetime) -> str:
    where = {"budget_id": key.limit.id, "target": key.target, "starts_at": key.starts_at}
    columns = ("spent_usd", "held_usd", "spent_tokens", "held_tokens")
    row = BudgetWindow.objects.filter(**where).values(*columns).first()
    if row is None:
        # The budget was removed meanwhile: nothing limits the call any more.
        return ""
    taken = Amount(row["spent_usd"] + row["held_usd"], row["spent_tokens"] + row["held_tokens"])
    text = refusal_text(key=key, wanted=wanted, taken=taken, now=now)
    log.info("budget.refused", run=run_id, budget=key.limit.id, target=key.target)
    return text


def _settle(holds: QuerySet[BudgetHold], real: Amount) -> int:
    with write_transaction():
        # Locked, so that two who settle at once do not both give the same back.
        locked = holds.select_for_update(of=("self",))
        rows = list(locked.order_by("window__budget_id", "window_id", "id"))
        for hold in rows:
            BudgetWindow.objects.filter(pk=hold.window_id).update(
                spent_usd=F("spent_usd") + real.usd,
                spent_tokens=F("spent_tokens") + real.tokens,
                held_usd=Greatest(F("held_usd") - hold.usd, Value(0.0)),
                held_tokens=Greatest(F("held_tokens") - hold.tokens, Value(0)),
            )
        if rows:
            BudgetHold.objects.filter(pk__in=[hold.pk for hold in rows]).delete()
    return len(rows)
