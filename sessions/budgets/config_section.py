"""The `budgets` section of the configuration document: every limit is a row.

budgets:
  run: {usd: 0.5, tokens: 500000}
  everyone: {day: {usd: 5}, month: {usd: 60}}
  agents: {"*": {day: {usd: 2}}, main: {run: {usd: 1}}}
  people: {"*": {day: {tokens: 200000}}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from django.utils.translation import gettext as _
from pydantic import Field

from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.schema import Strict
from agents.config.section import Document, Section
from sessions.models import Budget, Person

# Stands for each agent or person on its own.
EACH = "*"
Usd = Annotated[float, Field(ge=0, le=1_000_000)]
Tokens = Annotated[int, Field(ge=0, le=10**15)]
Target = Annotated[str, Field(min_length=1, max_length=64)]


class Allowance(Strict):
    """How much may be spent: US dollars, tokens, or both."""

    usd: Usd | None = None
    tokens: Tokens | None = None
    enabled: bool = True
    note: str = Field(default="", max_length=200)


class Periods(Strict):
    """Limits of a day and a month; both are those of UTC."""

    day: Allowance | None = None
    month: Allowance | None = None


class OwnPeriods(Periods):
    """Limits of one agent or person; `run` is for each of its runs."""

    run: Allowance | None = None


class BudgetsDocument(Strict):
    """The whole section. Keys of `agents` and `people` are their ids, or * for each."""

    run: Allowance | None = None
    everyone: Periods = Periods()
    agents: dict[Target, OwnPeriods] = {}
    people: dict[Target, OwnPeriods] = {}


class _Place(NamedTuple):
    path: Path
    scope: str
    target: str
    period: str


class BudgetsSection(Section[BudgetsDocument]):
    """Limits that a document leaves out are removed, with what was counted for them."""

    def check(self, typed: BudgetsDocument, findings: Findings) -> None:
        """A limit has to say of what, and whose it is has to be known."""
        known = set(Person.objects.values_list("id", flat=True)) if typed.people else set()
        for name in typed.people:
            if name != EACH and name not in known:
                findings.warn(self.path("people", name), _("there is no person of this id"))
        for place, allowance in _allowances(typed):
            if allowance.usd is None and allowance.tokens is None:
                text = _("says no limit: set usd, tokens, or both")
                findings.error(self.path(*place.path), text)

    def load(self, document: Document | None, typed: BudgetsDocument, findings: Findings) -> None:
        """Makes one row of each limit; what was spent of a limit that stays is kept."""
        kept = []
        for place, allowance in _allowances(typed):
            columns: dict[str, Any] = {
                "limit_usd": allowance.usd,
                "limit_tokens": allowance.tokens,
                "enabled": allowance.enabled,
                "note": allowance.note,
            }
            where: dict[str, Any] = {
                "scope": place.scope,
                "target": place.target,
                "period": place.period,
            }
            kept.append(Budget.objects.update_or_create(**where, defaults=columns)[0].pk)
        gone = Budget.objects.exclude(pk__in=kept)
        if count := gone.count():
            text = _("%(n)s budgets are removed because the document does not name them")
            findings.warn(self.path(), text % {"n": count})
            gone.delete()

    def dump(self) -> Document | None:
        """Every row in its place; None when there is no budget."""
        result: Document = {}
        for row in Budget.objects.order_by("id"):
            at = result
            for step in _steps(row):
                at = at.setdefault(step, {})
            at.update(_allowance_dump(row))
        return result or None


def _allowances(typed: BudgetsDocument) -> Iterator[tuple[_Place, Allowance]]:
    if typed.run is not None:
        yield _Place(("run",), "run", "", "run"), typed.run
    groups = [
        (("everyone",), "everyone", "", typed.everyone),
        *(
            (("agents", id_), "agent", _target(id_).lower(), own)
            for id_, own in typed.agents.items()
        ),
        *((("people", id_), "person", _target(id_), own) for id_, own in typed.people.items()),
    ]
    for path, scope, target, periods in groups:
        for period in ("run", "day", "month"):
            allowance = getattr(periods, period, None)
            if allowance is not None:
                yield _Place((*path, period), scope, target, period), allowance


def _target(name: str) -> str:
    return "" if name == EACH else name


def _steps(row: Budget) -> tuple[str, ...]:
    scopes = Budget.Scope
    if row.scope == scopes.RUN:
        # A limit for the runs of one agent stands with that agent.
        return ("agents", row.target, "run") if row.target else ("run",)
    if row.scope == scopes.EVERYONE:
        return ("everyone", row.period)
    group = "agents" if row.scope == scopes.AGENT else "people"
    return (group, row.target or EACH, row.period)


def _allowance_dump(row: Budget) -> dict[str, Any]:
    columns: dict[str, Any] = {"usd": row.limit_usd, "tokens": row.limit_tokens}
    result = {name: value for name, value in columns.items() if value is not None}
    if not row.enabled:
        result["enabled"] = False
    return {**result, "note": row.note} if row.note else result


BUDGETS = BudgetsSection("budgets", BudgetsDocument)
