"""Agents of the document are rows."""

from __future__ import annotations

import pytest

from agents.config.selectors import config_get
from agents.config.services import config_apply
from agents.models import Agent
from agents.selectors import agent_snapshot, default_agent_slug
from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    config_apply(
        text="""{agents: {list: [
          {id: 'Main', name: 'M'},
          {id: 'ops', default: true, model: {primary: 'a/b', fallbacks: ['c/d']},
           thinkingDefault: 'high', timeoutSeconds: 0, maxConcurrent: 2, systemPrompt: 'Be brief.',
           heartbeat: {every: '1h'}, enabled: false}]}}"""
    )
    ops = Agent.objects.get(slug="ops")
    assert (ops.model, ops.fallbacks, ops.thinking) == ("a/b", ["c/d"], "high")
    assert (ops.timeout_seconds, ops.max_concurrent, ops.enabled) == (0, 2, False)
    assert ops.settings == {"heartbeat": {"every": "1h"}}
    assert default_agent_slug() == "ops"
    assert Agent.objects.get(slug="main").name == "M"


def test_the_short_form() -> None:
    config_apply(text="{agents: {defaults: {timeoutSeconds: 5}, main: {}, ops: {name: 'Ops'}}}")
    assert agent_snapshot(slug="ops").name == "Ops"
    assert config_get(path="agents.list") == [
        {"id": "main", "default": True},
        {"id": "ops", "name": "Ops"},
    ]


def test_errors_in_the_short_form_name_what_was_written() -> None:
    assert errors_of("{agents: {main: {},\n ops: {nme: 'x'}}}") == [
        "line 2: agents.ops.nme: unknown key; did you mean name?"
    ]


def test_the_short_form_takes_no_misspelt_key() -> None:
    assert errors_of("{agents: {lists: {}}}") == [
        "line 1: agents.lists: unknown key; did you mean list?"
    ]


def test_agents_that_the_list_leaves_out_are_removed_and_named() -> None:
    config_apply(text="{agents: {list: [{id: 'a'}, {id: 'b'}]}}")
    report = config_apply(text="{agents: {list: [{id: 'b'}]}}")
    assert [str(issue) for issue in report.warnings] == [
        "line 1: agents.list: removed because the list does not name them: a"
    ]
    assert list(Agent.objects.values_list("slug", "is_default")) == [("b", True)]


def test_without_a_list_all_agents_stay() -> None:
    config_apply(text="{agents: {list: [{id: 'a'}, {id: 'b'}]}}")
    config_apply(text="{agents: {defaults: {maxConcurrent: 9}}}")
    assert Agent.objects.count() == 2
    config_apply(text="{}")
    assert Agent.objects.count() == 2
    assert agent_snapshot(slug="a").max_concurrent == 4


def test_an_empty_list_leaves_the_first_agent() -> None:
    config_apply(text="{agents: {list: []}}")
    assert list(Agent.objects.values_list("slug", "is_default")) == [("main", True)]


def test_no_fallbacks_is_not_the_same_as_inheriting_them() -> None:
    config_apply(
        text="""{agents: {defaults: {model: {primary: 'a/b', fallbacks: ['c/d']}},
          list: [{id: 'main'}, {id: 'none', model: {fallbacks: []}}]}}"""
    )
    assert agent_snapshot(slug="main").fallbacks == ("c/d",)
    assert agent_snapshot(slug="none").fallbacks == ()
    assert config_get(path="agents.list.none.model") == {"fallbacks": []}


@pytest.mark.parametrize(
    "model",
    [
        "{primary: 'a/b', fallbacks: ['a/b']}",
        "{primary: 'a/b', fallbacks: ['c/d', 'short']}",
        "{fallbacks: ['c/d', 'c/d']}",
    ],
)
def test_fallbacks_in_a_circle(model: str) -> None:
    text = f"{{agents: {{defaults: {{model: {model}, models: {{'a/b': {{alias: 'short'}}}}}}}}}}"
    (error,) = errors_of(text)
    assert "agents.defaults.model.fallbacks[" in error
    assert "fall back in a circle" in error


@pytest.mark.parametrize("name", ["", "/", "//", "sc/", "/x", " ", " a/b"])
def test_fallbacks_that_name_nothing(name: str) -> None:
    text = f"{{agents: {{defaults: {{model: {{primary: 'a/b', fallbacks: ['{name}']}}}}}}}}"
    (error,) = errors_of(text)
    assert error.startswith("line 1: agents.defaults.model.fallbacks[0]: must ")


@pytest.mark.parametrize("name", ["a/b/c", "bare", "router/@preset/x", ""])
def test_references_of_any_kind_stay(name: str) -> None:
    text = f"{{agents: {{defaults: {{model: {{primary: '{name}', fallbacks: ['c/d']}}}}}}}}"
    assert not errors_of(text)


@pytest.mark.parametrize("slug", ["a b", "", "-x", "x" * 65, "ä", "list", "defaults"])
def test_ids_that_cannot_be(slug: str) -> None:
    (error,) = errors_of(f"{{agents: {{list: [{{id: '{slug}'}}]}}}}")
    assert error.startswith("line 1: agents.list[0].id: ")
