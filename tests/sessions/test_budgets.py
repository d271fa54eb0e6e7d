"""What model calls may spend: held before, settled after, refused with the amounts named."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.config.cache import cache_clear
from agents.core.model import ModelInfo, Price
from sessions.budgets.limits import budgets_present
from sessions.budgets.periods import window_end, window_start
from sessions.budgets.services import (
    budget_holds_prune,
    budget_release,
    budget_reserve,
    budget_settle,
    budget_window_reset,
)
from sessions.models import Budget, BudgetHold, BudgetWindow

pytestmark = pytest.mark.django_db

# One dollar for each thousand tokens, in and out.
MODEL = ModelInfo("mine", "m", "x", price=Price(1000, 1000, 1000, 1000, known=True))
UNPRICED = ModelInfo("nobody", "m", "x")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No setting remembered from another test."""
    cache_clear()
    yield
    cache_clear()


def budget(scope: str, period: str, target: str = "", **limits: Any) -> Budget:
    """A row, seen by the next question."""
    row = Budget.objects.create(scope=scope, period=period, target=target, **limits)
    cache_clear()
    return row


def reserve(run: str = "run1", number: int = 1, **changes: Any) -> str:
    """Asks for 100 tokens in and 100 out: 20 cents."""
    asked: dict[str, Any] = {
        "run_id": run, "number": number, "agent": "main", "person": "p1", "model": MODEL,
        "input_tokens": 100, "output_tokens": 100,
    }  # fmt: skip
    return budget_reserve(**{**asked, **changes})


def window(row: Budget, target: str = "main") -> BudgetWindow:
    """The one window of a target."""
    return BudgetWindow.objects.get(budget=row, target=target)


def test_it_works() -> None:
    """Held, settled at what it really took, and refused when too little is left."""
    row = budget("agent", "day", "main", limit_usd=0.5)
    assert reserve() == ""
    assert window(row).held_usd == pytest.approx(0.2)
    budget_settle(run_id="run1", number=1, usd=0.35, tokens=350)
    spent = window(row)
    assert [spent.spent_usd, spent.held_usd] == pytest.approx([0.35, 0])
    assert (spent.spent_tokens, spent.held_tokens) == (350, 0)
    refusal = reserve(number=2)
    assert refusal.startswith(
        "This would cost up to $0.20. The agent main has $0.15 of $0.50 for today left. "
        "The limit renews at "
    )
    assert "00:00 UTC (in " in refusal
    assert BudgetHold.objects.count() == 0


@pytest.mark.parametrize(
    ("scope", "period", "target", "expected"),
    [
        ("run", "run", "", "This run has $0.10 of $0.10 a run left. A new message starts a new"),
        ("person", "month", "p1", "You have $0.10 of $0.10 for this month left. The limit renews"),
        ("person", "day", "", "You have $0.10 of $0.10 for today left."),
        ("everyone", "day", "", "Everyone together has $0.10 of $0.10 for today left."),
        ("agent", "day", "", "The agent main has $0.10 of $0.10 for today left."),
        ("agent", "run", "main", "This run has $0.10 of $0.10 a run left."),
    ],
)
def test_every_scope(scope: str, period: str, target: str, expected: str) -> None:
    """Each says whose limit it is; none of them holds anything after a refusal."""
    budget(scope, period, target, limit_usd=0.1)
    assert expected in reserve()
    assert not BudgetHold.objects.exists()


@pytest.mark.parametrize(
    ("scope", "period", "target"),
    [("agent", "day", "other"), ("person", "day", "p2"), ("agent", "run", "other")],
)
def test_others_budgets(scope: str, period: str, target: str) -> None:
    """They do not concern this call."""
    budget(scope, period, target, limit_usd=0)
    assert reserve() == ""
    assert not BudgetWindow.objects.exists()


def test_all_or_nothing() -> None:
    """What one budget granted is given back when another one refuses."""
    wide = budget("everyone", "day", limit_usd=10)
    budget("person", "day", limit_usd=0.1)
    assert reserve() != ""
    assert window(wide, "").held_usd == 0


def test_tokens() -> None:
    """Without a price only tokens count, and a limit on money stops nothing."""
    budget("agent", "day", limit_usd=0)
    assert reserve(model=UNPRICED) == ""
    budget("agent", "month", limit_tokens=300)
    assert reserve(number=2, model=UNPRICED) == ""
    refusal = reserve(number=3, model=UNPRICED)
    assert refusal.startswith(
        "This would use up to 200 tokens. "
        "The agent main has 100 tokens of 300 tokens for this month left."
    )


def test_each_on_its_own() -> None:
    """A budget for everybody each has a window for every agent, person or run."""
    budget("person", "day", limit_usd=0.3)
    assert reserve(person="p1") == ""
    assert reserve(person="p2", run="run2") == ""
    assert reserve(person="p1", run="run3") != ""
    assert sorted(BudgetWindow.objects.values_list("target", flat=True)) == ["p1", "p2"]


def test_a_run_after_another() -> None:
    """The next run begins with nothing spent."""
    budget("run", "run", limit_usd=0.3)
    assert reserve("run1") == ""
    budget_settle(run_id="run1", number=1, usd=0.2, tokens=200)
    assert reserve("run1", 2) != ""
    assert reserve("run2") == ""


def test_long_answers_are_capped() -> None:
    """A model's stated limit of 128,000 tokens is not held for every call."""
    row = budget("agent", "day", limit_tokens=20_000)
    big = ModelInfo("mine", "m", "x", max_tokens=128_000)
    assert reserve(model=big, output_tokens=128_000) == ""
    assert window(row).held_tokens == 100 + 16_384


def test_what_a_killed_turn_held() -> None:
    """It is given back when the run is taken up again."""
    row = budget("agent", "day", limit_usd=0.3)
    assert reserve() == ""
    assert reserve(run="run2") != ""
    assert budget_release(run_id="run1") == 1
    assert window(row).held_usd == pytest.approx(0)
    assert reserve(run="run2") == ""
    budget_settle(run_id="run1", number=1, usd=9, tokens=9)
    assert window(row).spent_usd == 0


def test_what_nobody_gave_back() -> None:
    """Holds of runs that are gone are found after a while."""
    row = budget("agent", "day", limit_usd=0.3)
    assert reserve() == ""
    assert budget_holds_prune() == 0
    BudgetHold.objects.update(created_at=datetime.now(UTC) - timedelta(hours=1))
    assert budget_holds_prune() == 1
    assert window(row).held_usd == pytest.approx(0)


def test_settled_once() -> None:
    """Telling the end of a call twice counts it once."""
    row = budget("agent", "day", limit_usd=1)
    reserve()
    for _time in range(2):
        budget_settle(run_id="run1", number=1, usd=0.1, tokens=100)
    assert window(row).spent_usd == pytest.approx(0.1)


def test_a_disabled_budget() -> None:
    """It refuses nothing, and what was held under it can still be settled."""
    row = budget("agent", "day", limit_usd=0.3)
    reserve()
    row.enabled = False
    row.save()
    cache_clear()
    assert reserve(number=2) == ""
    budget_settle(run_id="run1", number=1, usd=0.2, tokens=200)
    assert window(row).spent_usd == pytest.approx(0.2)


def test_reset() -> None:
    """The window begins anew; calls in flight keep what they hold."""
    row = budget("agent", "day", limit_usd=0.5)
    reserve()
    budget_settle(run_id="run1", number=1, usd=0.4, tokens=400)
    assert reserve(number=2) != ""
    budget_window_reset(window=window(row))
    assert reserve(number=3) == ""
    assert [window(row).spent_usd, window(row).held_usd] == pytest.approx([0, 0.2])


@pytest.mark.django_db(transaction=True)
def test_no_budget_no_query() -> None:
    """Whoever sets no limit pays nothing for limits."""
    assert not budgets_present()
    with CaptureQueriesContext(connection) as asked:
        assert reserve() == ""
        budget_settle(run_id="run1", number=1, usd=1, tokens=1)
        budget_release(run_id="run1")
    assert len(asked) == 0


def test_windows_are_utc() -> None:
    """A day and a month begin at midnight UTC, whatever the sender's clock says."""
    moment = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
    assert window_start("day", moment) == datetime(2026, 12, 31, tzinfo=UTC)
    assert window_start("month", moment) == datetime(2026, 12, 1, tzinfo=UTC)
    assert (
        window_end("day", moment) == window_end("month", moment) == datetime(2027, 1, 1, tzinfo=UTC)
    )
    assert window_end("run", moment) is None
