"""Every change keeps the configuration before; one call brings it back."""

from __future__ import annotations

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.registry import section
from agents.config.selectors import config_get
from agents.config.services import REVISIONS_KEPT, config_apply, config_rollback
from agents.core.errors import NotFound
from agents.models import Agent, ConfigRevision

pytestmark = pytest.mark.django_db

FIRST = """{models: {providers: {lab: {baseUrl: 'http://h/v1', apiKey: 'k', models: [{id: 'm'}]}}},
  agents: {list: [{id: 'main', name: 'One'}, {id: 'ops'}]}, talk: {a: 1}}"""


def test_it_works() -> None:
    config_apply(text=FIRST)
    before = config_get()
    config_apply(text="{agents: {list: [{id: 'other'}]}}")
    assert list(Agent.objects.values_list("slug", flat=True)) == ["other"]
    config_rollback()
    assert config_get() == before
    assert resolve_model(ref="lab/m").api_key == "k"


def test_going_back_twice_undoes_it() -> None:
    config_apply(text="{messages: {queue: {cap: 3}}}")
    config_apply(text="{messages: {queue: {cap: 4}}}")
    config_rollback()
    assert section("messages").queue.cap == 3
    config_rollback()
    assert section("messages").queue.cap == 4


def test_further_back_by_number() -> None:
    numbers = [
        config_apply(text=f"{{messages: {{queue: {{cap: {cap}}}}}}}").revision for cap in (3, 4, 5)
    ]
    config_rollback(revision=numbers[1])
    assert section("messages").queue.cap == 3


def test_without_anything_to_go_back_to() -> None:
    with pytest.raises(NotFound):
        config_rollback()
    with pytest.raises(NotFound):
        config_rollback(revision=12345)


def test_who_and_why_are_kept() -> None:
    config_apply(text=FIRST, author="ann", note="first try")
    row = ConfigRevision.objects.get()
    assert (row.author, row.note) == ("ann", "first try")


def test_only_so_many_are_kept() -> None:
    for cap in range(1, REVISIONS_KEPT + 5):
        config_apply(text=f"{{messages: {{queue: {{cap: {cap}}}}}}}")
    assert ConfigRevision.objects.count() == REVISIONS_KEPT
