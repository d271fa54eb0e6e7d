"""The budgets in force, as every turn asks for them: remembered, without a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from agents.config.cache import cached
from sessions.budgets.periods import window_start
from sessions.models import Budget


@dataclass(frozen=True, slots=True)
class Limit:
    """One budget. `usd` and `tokens` None mean no limit of that kind."""

    id: int
    scope: str
    target: str
    period: str
    usd: float | None
    tokens: int | None
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Spender:
    """Whom a model call is counted for."""

    run_id: str
    agent: str
    person: str


@dataclass(frozen=True, slots=True)
class WindowKey:
    """The window of a limit that a call falls into. `target` is whose window it is."""

    limit: Limit
    target: str
    starts_at: datetime


def budgets_present() -> bool:
    """Whether there is any budget at all, also a disabled one. Asks no query when remembered."""
    return bool(limits_current())


def windows_for(*, spender: Spender, now: datetime) -> list[WindowKey]:
    """The windows that a call counts in, in the order in which they are to be locked."""
    return [
        WindowKey(limit, _window_target(limit, spender), window_start(limit.period, now))
        for limit in limits_current()
        if limit.enabled and _applies(limit, spender)
    ]


def limits_read() -> tuple[Limit, ...]:
    """Every budget from its row, in stable order."""
    rows = Budget.objects.order_by("id")
    return tuple(
        Limit(row.pk, row.scope, row.target, row.period, row.limit_usd, row.limit_tokens,
              row.enabled)
        for row in rows
    )  # fmt: skip


def limits_current() -> tuple[Limit, ...]:
    """Every budget as it is now; no query when remembered."""
    return cached("budgets", limits_read)


def _applies(limit: Limit, spender: Spender) -> bool:
    if limit.scope == Budget.Scope.PERSON:
        return limit.target in ("", spender.person)
    if limit.scope == Budget.Scope.EVERYONE:
        return True
    return limit.target in ("", spender.agent)


def _window_target(limit: Limit, spender: Spender) -> str:
    if limit.period == Budget.Period.RUN:
        return spender.run_id
    if limit.scope == Budget.Scope.AGENT:
        return spender.agent
    return spender.person if limit.scope == Budget.Scope.PERSON else ""
