"""A list costs the same number of queries however long it is."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse

from agents.config import cache
from agents.models import Agent, Provider
from sessions.models import Person
from sessions.people import person_for_user
from tests.admin.rows import everything_make

get_resolver().url_patterns  # noqa: B018 - loads the admin modules
ALL = sorted(admin.site._registry, key=lambda model: model._meta.label)
# Their lists ask for the catalog of models, which is only remembered outside of transactions.
CATALOG = [Agent, Provider]
MODELS = [model for model in ALL if model not in CATALOG]
# The most that any list may take: who asks, badges, filters, dates, rows.
MOST = 16


def queries(page: Client, path: str) -> int:
    """How many statements a page takes, after it was opened once."""
    page.get(path)
    with CaptureQueriesContext(connection) as seen:
        assert page.get(path).status_code == 200
    return len(seen)


def test_it_works(page: Client, owner: Person) -> None:
    """The first page asks a fixed number of questions as well."""
    everything_make(owner, "1")
    few = queries(page, "/admin/")
    for number in range(2, 8):
        everything_make(owner, str(number))
    assert queries(page, "/admin/") == few <= MOST


@pytest.mark.exhaustive
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_no_query_for_each_row(page: Client, owner: Person, model: type[Model]) -> None:
    """Three rows or nine."""
    path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    for number in range(3):
        everything_make(owner, str(number))
    few = queries(page, path)
    for number in range(3, 9):
        everything_make(owner, str(number))
    assert queries(page, path) == few <= MOST


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("model", CATALOG, ids=lambda model: model._meta.label_lower)
def test_catalog_is_asked_for_once(monkeypatch: pytest.MonkeyPatch, model: type[Model]) -> None:
    """The same, with the catalog remembered for longer than the test takes."""
    monkeypatch.setattr(cache, "CACHE_SECONDS", 600.0)
    cache.cache_clear()
    owner = person_for_user(user=User.objects.create_superuser("olga"))
    page = Client()
    page.force_login(User.objects.get(username="olga"))
    test_no_query_for_each_row(page, owner, model)
    cache.cache_clear()


def test_long_columns_stay_in_the_database(page: Client, owner: Person) -> None:
    """A list of entries reads the first words of each, not its images."""
    everything_make(owner, "1")
    for path, column in (
        ("agent_sessions/entry", '"body"'),
        ("agent_sessions/run", '"reply"'),
        ("agent_sessions/toolcall", '"result"'),
        ("agents/authprofile", '"secret",'),
    ):
        with CaptureQueriesContext(connection) as seen:
            page.get(f"/admin/{path}/")
        chosen = [query["sql"].partition(" FROM ")[0] for query in seen.captured_queries]
        assert not [sql for sql in chosen if f"{column}," in sql.replace(",,", ",")], path
