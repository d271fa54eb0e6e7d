"""Budgets in the admin: made, checked, read and begun anew."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sessions.budgets.periods import window_start
from sessions.models import Budget, BudgetWindow, Person
from sessions.people import person_for_user

LIST = "admin:agent_sessions_budget_changelist"
ADD = "admin:agent_sessions_budget_add"
FORM = {"scope": "agent", "target": "main", "period": "day", "enabled": "on", "limit_usd": "5"}


def add(page: Client, **changes: str) -> Any:
    """Posts the form of a new budget."""
    return page.post(reverse(ADD), {**FORM, **changes})


def test_it_works(page: Client) -> None:
    """A budget that was added is listed with what is used of it."""
    assert add(page).status_code == 302
    row = Budget.objects.get()
    assert (row.scope, row.target, row.period, row.limit_usd) == ("agent", "main", "day", 5.0)
    start = window_start("day", timezone.now())
    BudgetWindow.objects.create(budget=row, target="main", starts_at=start, spent_usd=4.5)
    text = page.get(reverse(LIST)).content.decode()
    assert "Agent main" in text
    assert "90 %" in text


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"limit_usd": ""}, "limit_usd", "State a limit"),
        ({"limit_usd": "-1"}, "limit_usd", "not negative"),
        ({"target": "nobody"}, "target", "There is no agent of this id. There are: main"),
        ({"scope": "person", "target": "nobody"}, "target", "There is no person of this id"),
        ({"scope": "run", "target": ""}, "period", "has the period"),
        ({"scope": "run", "period": "run"}, "target", "Leave it empty"),
        ({"scope": "everyone", "target": "", "period": "run"}, "period", "each run"),
    ],
)
def test_what_does_not_fit(page: Client, changes: dict[str, str], field: str, words: str) -> None:
    """Each contradiction is told beside its field, and nothing is stored."""
    answer = add(page, **changes)
    assert answer.status_code == 200
    errors = answer.context["adminform"].form.errors
    assert list(errors) == [field]
    assert words in str(errors[field])
    assert not Budget.objects.exists()


def test_twins(page: Client) -> None:
    """Two budgets of one kind would only confuse."""
    add(page)
    assert "already" in str(add(page).context["adminform"].form.errors)
    assert Budget.objects.count() == 1


def test_begun_anew(page: Client) -> None:
    """The action of the list clears the current window and leaves older ones."""
    add(page)
    row, now = Budget.objects.get(), timezone.now()
    start = window_start("day", now)
    new = BudgetWindow.objects.create(budget=row, target="main", starts_at=start, spent_usd=3)
    old = BudgetWindow.objects.create(
        budget=row, target="main", starts_at=start.replace(year=2020), spent_usd=7
    )
    page.post(reverse(LIST), {"action": "reset", "_selected_action": row.pk})
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.spent_usd, old.spent_usd) == (0, 7)


def test_a_person_by_name(page: Client, owner: Person) -> None:
    """Nobody reads ids."""
    add(page, scope="person", target=owner.pk)
    assert f">{owner.name}<" in page.get(reverse(LIST)).content.decode().replace("\n", "")


def test_owners_only(client: Client, django_user_model: Any) -> None:
    """Whoever is no owner neither reads nor resets budgets."""
    user = django_user_model.objects.create_user("mia")
    person = person_for_user(user=user)
    Person.objects.filter(pk=person.pk).update(role="member")
    client.force_login(django_user_model.objects.get(pk=user.pk))
    for name in (LIST, "admin:agent_sessions_budgetwindow_changelist"):
        assert client.get(reverse(name)).status_code == 302
    assert add(client).status_code == 302
    assert not Budget.objects.exists()
