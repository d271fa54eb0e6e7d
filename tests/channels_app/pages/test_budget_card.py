"""What the panel, the run page and the command line say of money."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from agents.config.cache import cache_clear
from sessions.budgets.periods import window_start
from sessions.models import Budget, BudgetWindow, ModelCall, Run
from tests.channels_app.pages.conftest import Visitor, run_of, session_of

KEY = "agent:main:main"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No setting remembered from another test."""
    cache_clear()
    yield
    cache_clear()


def spent(scope: str, target: str, usd: float, *, limit: float = 10.0, whose: str = "") -> None:
    """A budget of today and what was spent of it."""
    row = Budget.objects.create(scope=scope, target=target, period="day", limit_usd=limit)
    start = window_start("day", timezone.now())
    BudgetWindow.objects.create(budget=row, target=whose or target, starts_at=start, spent_usd=usd)


def panel(visitor: Visitor) -> str:
    """The panel with its white space folded."""
    return " ".join(visitor.client.get("/").content.decode().split())


def test_it_works(owner: Visitor) -> None:
    """Spent, left and when it renews; from 80 % on with a warning."""
    spent("agent", "main", 2.5)
    spent("everyone", "", 8.0)
    spent("person", owner.person.pk, 10.0)
    Budget.objects.create(scope="run", period="run", limit_usd=0.5)
    html = panel(owner)
    assert "$2.50 of $10.00" in html
    assert "$7.50 left" in html
    assert html.count("nearly used up") == 1
    assert html.count(">used up<") == 1
    assert "at most $0.50" in html
    assert "Agent main" in html
    assert f">{owner.person.name}<" in html
    assert "renews " in html
    assert "Edit budgets" in html


def test_no_budget_no_card(owner: Visitor) -> None:
    """Whoever sets none sees none."""
    assert 'id="budgets"' not in panel(owner)


def test_a_member_sees_their_own(member: Visitor, owner: Visitor) -> None:
    """Not those of agents, of everyone, or of others."""
    spent("agent", "main", 1.11)
    spent("person", "", 2.22, whose=member.person.pk)
    spent("person", owner.person.pk, 3.33)
    html = panel(member)
    assert "$2.22 of $10.00" in html
    for other in ("$1.11", "$3.33", "Edit budgets"):
        assert other not in html


def priced(visitor: Visitor, *known: bool) -> Run:
    """A run with one call for each argument: whether its price is known."""
    run = run_of(
        session_of(visitor.person, KEY), ended_at=timezone.now(), input_tokens=1500,
        output_tokens=20, cost=0.25 if any(known) else 0.0, cost_known=any(known),
    )  # fmt: skip
    for number, is_known in enumerate(known, start=1):
        ModelCall.objects.create(
            run=run, number=number, provider="p", model="m", state="done", input_tokens=700,
            output_tokens=10, cost=0.25 if is_known else 0, cost_known=is_known,
        )  # fmt: skip
    return run


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ((True, True), "$0.25"),
        ((False, False), "price unknown"),
        ((True, False), "$0.25 and 1 call without a known price"),
    ],
)
def test_the_run_page(owner: Visitor, known: tuple[bool, ...], words: str) -> None:
    """Where no price is known it says so; zero would be a lie."""
    run = priced(owner, *known)
    html = " ".join(owner.client.get(f"/runs/{run.pk}/").content.decode().split())
    assert f"<dt>Cost</dt> <dd> {words} </dd>" in html


def test_the_command_line(owner: Visitor) -> None:
    """Tokens and money of each run."""
    priced(owner, True)
    Run.objects.update(person=owner.person)
    out = StringIO()
    call_command("runs", stdout=out)
    assert "1,520 tokens  $0.25" in out.getvalue()
    Run.objects.update(cost=0, cost_known=False)
    call_command("runs", stdout=out)
    assert "1,520 tokens  price unknown" in out.getvalue()
