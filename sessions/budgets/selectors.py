"""How budgets stand: what is spent, held and left of each, for pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from agents.core.principal import Principal
from sessions.budgets.limits import Limit, limits_current
from sessions.budgets.periods import window_end, window_start
from sessions.budgets.wording import tokens_text, usd_text
from sessions.models import Budget, BudgetWindow, Person

# From this share of a limit on people are warned.
WARNING_SHARE = 0.8
# Windows of one budget that a page shows, those that are nearest to their limit.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Standing:
    """One window of a budget, or a budget without any yet.

    `share` is the greater part of its limits that is spent or held: 0 to 1, and beyond when a
    call took more than was held for it. `renews_at` is None and `spent` "" for a limit of runs.
    """

    label: str
    period: str
    spent: str
    left: str
    share: float
    renews_at: datetime | None

    @property
    def kind(self) -> str:
        """ "" as long as there is enough, warn from 80 % on, bad when nothing is left."""
        if self.share >= 1:
            return "bad"
        return "warn" if self.share >= WARNING_SHARE else ""

    @property
    def share_words(self) -> str:
        """The share as it is read."""
        return f"{self.share * 100:.0f} %"

    @property
    def percent(self) -> int:
        """The share for a bar: 0 to 100."""
        return min(100, round(self.share * 100))


def budgets_standing(*, principal: Principal, now: datetime | None = None) -> list[Standing]:
    """Every enabled budget in its current window; an owner sees all, others only their own.

    Makes no query while there is no budget, and three at most.
    """
    limits = [limit for limit in limits_current() if limit.enabled]
    if not principal.is_owner:
        limits = [limit for limit in limits if _is_of(limit, principal.id)]
    if not limits:
        return []
    now = now or timezone.now()
    windows = _windows(limits, now, None if principal.is_owner else principal.id)
    names = _names(limits, windows)
    rows: list[Standing] = []
    for limit in limits:
        found = [window for window in windows if window.budget_id == limit.id]
        standings = [_standing(limit, window, window.target, names, now) for window in found]
        standings.sort(key=lambda one: one.share, reverse=True)
        rows += standings[:_SHOWN] or [_standing(limit, None, limit.target, names, now)]
    return rows


def window_share(*, limit_usd: float | None, limit_tokens: int | None, window: object) -> float:
    """The greater part of two limits that a window has spent or held; 0 without a window."""
    if not isinstance(window, BudgetWindow):
        return 0.0
    return max(
        _part(window.spent_usd + window.held_usd, limit_usd),
        _part(window.spent_tokens + window.held_tokens, limit_tokens),
    )


def _part(taken: float, limit: float | None) -> float:
    if limit is None:
        return 0.0
    return taken / limit if limit > 0 else float(taken > 0)


def _is_of(limit: Limit, person: str) -> bool:
    return limit.scope == Budget.Scope.PERSON and limit.target in ("", person)


def _windows(limits: Iterable[Limit], now: datetime, person: str | None) -> list[BudgetWindow]:
    """The current windows of days and months; those of single runs are too many to be of use."""
    starts = {
        limit.id: window_start(limit.period, now) for limit in limits if limit.period != "run"
    }
    rows = BudgetWindow.objects.filter(
        budget_id__in=list(starts), starts_at__in=set(starts.values())
    )
    if person is not None:
        rows = rows.filter(target=person)
    return [
        row for row in rows.order_by("budget_id", "id") if row.starts_at == starts[row.budget_id]
    ]


def _names(limits: Iterable[Limit], windows: Iterable[BudgetWindow]) -> Mapping[str, str]:
    of_people = {limit.id: limit.target for limit in limits if limit.scope == Budget.Scope.PERSON}
    wanted = {target for target in of_people.values() if target}
    wanted |= {window.target for window in windows if window.budget_id in of_people}
    if not wanted:
        return {}
    return dict(Person.objects.filter(pk__in=wanted).values_list("id", "name"))


def _standing(
    limit: Limit,
    window: BudgetWindow | None,
    target: str,
    names: Mapping[str, str],
    now: datetime,
) -> Standing:
    spent_usd = window.spent_usd + window.held_usd if window else 0.0
    spent_tokens = window.spent_tokens + window.held_tokens if window else 0
    return Standing(
        label=budget_label(limit.scope, target, names),
        period=period_label(limit.period),
        spent="" if limit.period == "run" else _amounts(limit, spent_usd, spent_tokens),
        left=_left(limit, spent_usd, spent_tokens),
        share=window_share(limit_usd=limit.usd, limit_tokens=limit.tokens, window=window),
        renews_at=window_end(limit.period, now),
    )


def _amounts(limit: Limit, usd: float, tokens: int) -> str:
    parts = []
    if limit.usd is not None:
        values = {"spent": usd_text(usd), "limit": usd_text(limit.usd)}
        parts.append(_("%(spent)s of %(limit)s") % values)
    if limit.tokens is not None:
        values = {
            "spent": formats.number_format(tokens, force_grouping=True),
            "limit": tokens_text(limit.tokens),
        }
        parts.append(_("%(spent)s of %(limit)s") % values)
    return " · ".join(parts)


def _left(limit: Limit, usd: float, tokens: int) -> str:
    parts = []
    if limit.usd is not None:
        parts.append(usd_text(max(0.0, limit.usd - usd)))
    if limit.tokens is not None:
        parts.append(tokens_text(max(0, limit.tokens - tokens)))
    amount = {"amount": " · ".join(parts)}
    return (_("at most %(amount)s") if limit.period == "run" else _("%(amount)s left")) % amount


def budget_label(scope: str, target: str, names: Mapping[str, str] | None = None) -> str:
    """Whose limit it is, in words."""
    if scope == Budget.Scope.EVERYONE:
        return _("Everyone together")
    if scope == Budget.Scope.AGENT:
        return _("Agent %(id)s") % {"id": target} if target else _("Each agent")
    if scope == Budget.Scope.PERSON:
        return (names or {}).get(target, target) if target else _("Each person")
    return _("Runs of %(id)s") % {"id": target} if target else _("Each run")


def period_label(period: str) -> str:
    """A budget's period as it stands beside its name."""
    return {"run": _("each run"), "day": _("today"), "month": _("this month")}[period]
