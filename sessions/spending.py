"""Who spends: model calls summed up by agent, person, model or day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum, Value
from django.db.models.functions import Concat, TruncDate

from sessions.models import ModelCall

# What calls are grouped by: a label for people, and a key that makes groups apart.
GROUPS: dict[str, tuple[Any, Any]] = {
    "agent": ("run__agent_slug", "run__agent_slug"),
    "person": ("run__person__name", "run__person_id"),
    "model": (Concat("provider", Value("/"), "model"), Concat("provider", Value("/"), "model")),
    "session": ("run__session__key", "run__session_id"),
    "day": (TruncDate("started_at"), TruncDate("started_at")),
}
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class Spending:
    """The sum of one group. `cost` is in US dollars; `unpriced` counts calls without a price.

    `share` is that of the whole cost, or of all tokens when nothing has a price: 0 to 1.
    """

    name: str
    calls: int
    runs: int
    failed: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost: float
    unpriced: int
    share: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens together."""
        return sum(getattr(self, name) for name in _TOKENS)

    @property
    def cost_known(self) -> bool:
        """Whether any call of the group has a price."""
        return self.unpriced < self.calls


def spending_list(*, calls: QuerySet[ModelCall], by: str, limit: int = 100) -> list[Spending]:
    """`calls` summed up, the dearest group first. Two queries, whatever their number.

    `by` is one of GROUPS.
    """
    label, key = GROUPS[by]
    grouped = (
        calls.order_by()
        .annotate(group_key=_expression(key), group_name=_expression(label))
        .values("group_key")
        .annotate(name=Max("group_name"), **_sums())
        .order_by("-cost", "-input_tokens", "group_key")[:limit]
    )
    whole = spending_total(calls=calls)
    return [_row(dict(row), whole) for row in grouped]


def spending_total(*, calls: QuerySet[ModelCall]) -> Spending:
    """All of `calls` together."""
    return _row({"name": "", **calls.order_by().aggregate(**_sums())}, None)


def _expression(what: Any) -> Any:
    return F(what) if isinstance(what, str) else what


def _sums() -> dict[str, Any]:
    failed = ModelCall.State.FAILED
    return {
        "calls": Count("id"),
        "runs": Count("run_id", distinct=True),
        "failed": Count("id", filter=Q(state=failed)),
        "unpriced": Count("id", filter=Q(cost_known=False)),
        "cost": Sum("cost", default=0.0),
        **{name: Sum(name, default=0) for name in _TOKENS},
    }


def _row(row: dict[str, Any], whole: Spending | None) -> Spending:
    values = {name: row[name] for name in ("calls", "runs", "failed", "unpriced", "cost", *_TOKENS)}
    found = Spending(name=str(row["name"] or ""), **values)
    if whole is None:
        return found
    share = found.cost / whole.cost if whole.cost else found.tokens / (whole.tokens or 1)
    return Spending(name=found.name, share=share, **values)
