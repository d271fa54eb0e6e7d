"""The models that people can choose from."""

from __future__ import annotations

import pytest

from agents.catalog.listing import models_list
from agents.config.services import config_apply

pytestmark = pytest.mark.django_db

LAB = "models: {providers: {lab: {baseUrl: 'http://10.0.0.1/v1', apiKey: 'k', models: [%s]}}}"


def refs() -> list[str]:
    return [model.ref for model in models_list()]


def test_it_works() -> None:
    config_apply(text="{" + LAB % "{id: 'a'}, {id: 'b'}" + "}")
    assert refs() == ["lab/a", "lab/b", "rehearsal/rehearsal"]


def test_without_keys() -> None:
    config_apply(text="{" + LAB % "{id: 'a', headers: {'X-Api-Key': 'k'}}" + "}")
    assert [(model.api_key, model.headers) for model in models_list()] == [("", {}), ("", {})]


def test_vendors_without_a_key_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refs() == ["rehearsal/rehearsal"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    assert refs()[0] == "anthropic/claude-sonnet-5-5"
    assert "anthropic/claude-haiku-4-5" in refs()


def test_named_models_are_the_only_choice() -> None:
    agents = "agents: {defaults: {model: 'lab/b', models: {'lab/a': {}, 'gone/x': {}}}}"
    config_apply(text="{" + LAB % "{id: 'a'}, {id: 'b'}, {id: 'c'}" + "," + agents + "}")
    assert refs() == ["lab/b", "lab/a"]
