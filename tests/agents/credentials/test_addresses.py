"""A key goes to the address that it was put in for."""

from __future__ import annotations

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.credentials.credential import model_with
from agents.credentials.selectors import credentials_for
from tests.agents.credentials.conftest import profile_make

pytestmark = pytest.mark.django_db
ROW = """{models: {providers: {openai: {baseUrl: 'https://other.example/v1', %s
  models: [{id: 'mine', contextWindow: 50000}]}}}}"""
OWN, OTHER = "https://api.openai.com/v1", "https://other.example/v1"


def calls(ref: str = "openai/mine") -> list[tuple[str, str, str]]:
    """Address, key and credential of each call that would be made, in order."""
    model = resolve_model(ref=ref)
    found = [model_with(model, one) for one in credentials_for(model=model, agent="main")]
    return [(one.base_url, one.api_key, one.profile) for one in found]


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's key goes to the service, a stored one where the row leads."""
    config_apply(text=ROW % "")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    assert calls() == [(OWN, "sk-env", "env:openai")]
    profile_make("openai:work", secret="sk-work")
    assert calls() == [(OTHER, "sk-work", "openai:work")]


def test_key_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(text=ROW % "apiKey: 'sk-row',")
    assert calls() == [(OTHER, "sk-row", "openai:default")]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    assert calls()[0] == (OWN, "sk-env", "env:openai")


def test_key_of_the_configuration_stays_at_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(text=ROW % "apiKey: 'sk-row',")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    assert [one[1] for one in calls()] == ["sk-env"]
