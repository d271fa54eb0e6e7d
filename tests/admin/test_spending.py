"""Who spends: model calls summed up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.admin.wording import UNKNOWN
from sessions.models import ModelCall, Person
from sessions.spending import spending_list, spending_total
from tests.admin.rows import call_make, run_make, session_make

PATH = "/admin/agent_sessions/modelcall/spending/"


@pytest.fixture
def calls(owner: Person) -> None:
    """Two agents, two people, three models, an old call and one without a price."""
    mia = Person.objects.create(name="Mia")
    dear = run_make(session_make(owner, "main"))
    cheap = run_make(session_make(mia, "ops"))
    old = run_make(session_make(mia, "ops"), at=timezone.now() - timedelta(days=20))
    priced: dict[str, Any] = {"cost_known": True, "input_tokens": 100, "output_tokens": 10}
    call_make(dear, model="one", cost=0.6, **priced)
    call_make(dear, model="two", cost=0.2, state="failed", **priced)
    call_make(cheap, model="one", cost=0.2, **priced)
    call_make(cheap, model="free", input_tokens=1000)
    call_make(old, model="one", cost=5.0, cache_read_tokens=7, **priced)


def shown(page: Client, query: str) -> list[tuple[str, str]]:
    """Names and costs on the page, in its order."""
    response = page.get(f"{PATH}?{query}")
    assert response.status_code == 200
    return [(row["name"], row["cost"]) for row in response.context["spending"]["rows"]]


def test_it_works(page: Client, calls: None) -> None:
    """By agent, the dearest first; one without a price is no zero."""
    assert shown(page, "when=week") == [("main", "$0.8000"), ("ops", "$0.2000")]
    assert shown(page, "when=week&by=person") == [("olga", "$0.8000"), ("Mia", "$0.2000")]
    assert shown(page, "when=week&by=model") == [
        ("lab/one", "$0.8000"),
        ("lab/two", "$0.2000"),
        ("lab/free", UNKNOWN),
    ]


def test_time_and_other_filters_bound_the_sum(page: Client, calls: None) -> None:
    """The same filters as those of a list."""
    assert shown(page, "when=month") == [("ops", "$5.20"), ("main", "$0.8000")]
    assert shown(page, "agent=main&by=model") == [("lab/one", "$0.6000"), ("lab/two", "$0.2000")]
    assert shown(page, "state__exact=failed") == [("main", "$0.2000")]
    year = timezone.now().year + 1
    assert shown(page, f"started_at__year={year}") == []
    assert shown(page, "by=nonsense&when=week")[0][0] == "main"


def test_days_are_groups_as_well(page: Client, calls: None) -> None:
    """One line for each day on which a model was called."""
    assert len(shown(page, "by=day")) == 2
    assert len(shown(page, "by=session")) == 3


def test_everything_is_counted(calls: None) -> None:
    """Tokens, calls, failures and runs."""
    main, ops = spending_list(calls=ModelCall.objects.filter(cost__lt=1), by="agent")
    assert (main.calls, main.failed, main.runs, main.unpriced) == (2, 1, 1, 0)
    assert (ops.calls, ops.unpriced, ops.input_tokens, ops.tokens) == (2, 1, 1100, 1110)
    assert main.share == pytest.approx(0.8)
    total = spending_total(calls=ModelCall.objects.all())
    assert (total.calls, total.runs) == (5, 3)
    assert total.cost == pytest.approx(6.0)


def test_without_prices_tokens_decide_the_share(owner: Person) -> None:
    """A gateway with local models only has something to show as well."""
    run = run_make(session_make(owner))
    call_make(run, model="small", input_tokens=30)
    call_make(run, model="large", input_tokens=70)
    large, small = spending_list(calls=ModelCall.objects.all(), by="model")
    assert (large.name, large.share, small.share) == ("lab/large", 0.7, 0.3)


def test_nothing_was_called(page: Client) -> None:
    """An empty page with a sentence."""
    assert b"No model was called" in page.get(PATH).content
