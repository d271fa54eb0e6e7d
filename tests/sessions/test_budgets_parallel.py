"""Twenty turns at once never spend more than the limit."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from agents.config.cache import cache_clear
from agents.core.model import ModelInfo, Price
from sessions.budgets.services import budget_reserve, budget_settle
from sessions.models import Budget, BudgetHold, BudgetWindow

TURNS = 20
MODEL = ModelInfo("mine", "m", "x", price=Price(1000, 1000, 1000, 1000, known=True))


@pytest.fixture(autouse=True)
def fresh(transactional_db: None) -> Iterator[None]:
    """No setting remembered from another test."""
    cache_clear()
    yield
    cache_clear()


def _turn(number: int, barrier: Barrier, *, settle: bool) -> str:
    try:
        barrier.wait(30)
        refusal = budget_reserve(
            run_id=f"run{number}",
            number=1,
            agent="main",
            person=f"p{number % 2}",
            model=MODEL,
            input_tokens=50,
            output_tokens=50,
        )
        if settle and not refusal:
            budget_settle(run_id=f"run{number}", number=1, usd=0.1, tokens=100)
        return refusal
    finally:
        connection.close()


def _all_at_once(*, settle: bool) -> list[str]:
    barrier = Barrier(TURNS)
    with ThreadPoolExecutor(TURNS) as pool:
        jobs = [pool.submit(_turn, number, barrier, settle=settle) for number in range(TURNS)]
        return [job.result(60) for job in jobs]


def test_it_works() -> None:
    """Each asks for ten cents of one dollar: exactly ten are let through."""
    Budget.objects.create(scope="everyone", period="day", limit_usd=1.0)
    refusals = _all_at_once(settle=True)
    assert sum(not text for text in refusals) == 10
    window = BudgetWindow.objects.get()
    assert window.spent_usd == pytest.approx(1.0)
    assert window.spent_tokens == 1000
    assert window.held_usd == pytest.approx(0)
    assert window.held_tokens == 0
    assert not BudgetHold.objects.exists()


def test_several_budgets() -> None:
    """Windows that are shared and windows of their own, locked in one order."""
    Budget.objects.create(scope="person", period="day", limit_usd=0.4)
    Budget.objects.create(scope="everyone", period="month", limit_tokens=600)
    refusals = _all_at_once(settle=False)
    granted = sum(not text for text in refusals)
    assert granted == 6
    whole = BudgetWindow.objects.get(target="")
    assert whole.held_tokens == 600
    own = BudgetWindow.objects.exclude(target="")
    assert sum(window.held_tokens for window in own) == 600
    assert all(window.held_usd <= 0.4 + 1e-6 for window in own)
