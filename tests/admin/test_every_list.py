"""Every list and every row can be looked at, searched and filtered; records cannot be changed."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import get_resolver, reverse

from agents.admin.base import RecordAdmin
from sessions.models import Person
from tests.admin.rows import everything_make

get_resolver().url_patterns  # noqa: B018 - loads the admin modules
ADMINS: list[tuple[type[Model], ModelAdmin[Any]]] = sorted(
    admin.site._registry.items(), key=lambda pair: pair[0]._meta.label
)
RECORDS = [pair for pair in ADMINS if isinstance(pair[1], RecordAdmin)]


def names(pairs: list[tuple[type[Model], ModelAdmin[Any]]]) -> list[str]:
    """What pytest calls them."""
    return [model._meta.label_lower for model, _admin in pairs]


OURS = ("agents", "agent_sessions", "channels_app", "tools")


def address(model: type[Model], kind: str, *args: Any) -> str:
    """An address of the admin."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}"
    return reverse(name, args=args)


@pytest.fixture
def full(page: Client, owner: Person) -> Client:
    """The owner's browser on a gateway with rows in every table."""
    everything_make(owner, "1")
    everything_make(owner, "2")
    return page


def test_it_works() -> None:
    """No table of ours is without its list, and the admin's own checks find nothing."""
    known = {model for model, _admin in ADMINS}
    ours = {model for label in OURS for model in apps.get_app_config(label).get_models()}
    assert ours <= known
    assert admin.site.check(None) == []


@pytest.mark.parametrize(("model", "registered"), ADMINS, ids=names(ADMINS))
def test_list_can_be_read(full: Client, model: type[Model], registered: ModelAdmin[Any]) -> None:
    """As it is, searched, in any order, and one row of it."""
    path = address(model, "changelist")
    columns = [str(number + 1) for number in range(len(registered.list_display))]
    for query in ("", "q=lab", f"o={'.'.join(columns)}", f"o=-{'.-'.join(columns)}"):
        response = full.get(f"{path}?{query}")
        assert response.status_code == 200, query
    assert full.get(address(model, "change", model._default_manager.first().pk)).status_code == 200  # type: ignore[union-attr]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("model", "registered"), ADMINS, ids=names(ADMINS))
def test_every_filter_choice_works(
    full: Client, model: type[Model], registered: ModelAdmin[Any]
) -> None:
    """Each address that a filter offers."""
    path = address(model, "changelist")
    changes = full.get(path).context["cl"]
    queries = [
        choice["query_string"] for spec in changes.filter_specs for choice in spec.choices(changes)
    ]
    for query in queries:
        assert full.get(path + query).status_code == 200, query


@pytest.mark.exhaustive
@pytest.mark.parametrize(("model", "registered"), RECORDS, ids=names(RECORDS))
def test_records_cannot_be_changed(
    full: Client, model: type[Model], registered: ModelAdmin[Any]
) -> None:
    """Neither added nor changed nor deleted, whatever is posted."""
    row = model._default_manager.first()
    assert row is not None
    before = list(model._default_manager.values())
    data = {field.name: "x" for field in model._meta.fields}
    for kind, args in (("add", ()), ("change", (row.pk,)), ("delete", (row.pk,))):
        answer = full.post(address(model, kind, *args), {**data, "post": "yes"})
        assert answer.status_code == 403, kind
    full.post(
        address(model, "changelist"), {"action": "delete_selected", "_selected_action": row.pk}
    )
    assert list(model._default_manager.values()) == before


@pytest.mark.parametrize("name", ["entry", "run", "inboxitem", "inboundreceipt", "delivery"])
def test_custody_is_a_record(name: str) -> None:
    """What the ledger is made of."""
    registered = admin.site._registry[apps.get_model("agent_sessions", name)]
    assert isinstance(registered, RecordAdmin)


def test_sessions_and_people_are_never_deleted(full: Client, owner: Person) -> None:
    """Conversations belong to people; both end otherwise."""
    kept: list[type[Model]] = [apps.get_model("agent_sessions", "session"), Person, User]
    for model in kept:
        row = model._default_manager.first()
        assert row is not None
        assert full.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
