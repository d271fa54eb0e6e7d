"""Providers that the environment names."""

from __future__ import annotations

import pytest

from agents.catalog.listing import provider_in_use
from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.models import AuthProfile, Provider

pytestmark = pytest.mark.django_db


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    model = resolve_model(ref="")
    assert (model.ref, model.api) == ("anthropic/claude-sonnet-5-5", "anthropic-messages")
    assert (model.base_url, model.api_key) == ("https://api.anthropic.com", "sk-ant")
    assert provider_in_use()["source"] == "environment"


def test_nothing_of_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-oai")
    resolve_model(ref="")
    assert not Provider.objects.exists()
    assert not AuthProfile.objects.exists()


@pytest.mark.parametrize(
    ("name", "ref", "address"),
    [
        ("ANTHROPIC", "anthropic/claude-haiku-4-5", "http://proxy.example:9/anthropic"),
        ("OPENAI", "openai/gpt-6-luna", "http://proxy.example:9/v1"),
    ],
)
def test_the_address_is_respected(
    name: str, ref: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{name}_API_KEY", "sk")
    monkeypatch.setenv(f"{name}_BASE_URL", f"{address}/")
    assert resolve_model(ref=ref).base_url == address


def test_models_that_are_not_known_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    model = resolve_model(ref="openai/gpt-99/preview")
    assert (model.id, model.price.known) == ("gpt-99/preview", False)


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", " ")
    assert resolve_model(ref="").ref == "rehearsal/rehearsal"


def test_a_local_address_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert resolve_model(ref="openai/mine").api_key == ""
    assert resolve_model(ref="").ref == "rehearsal/rehearsal"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.example.com/v1")
    with pytest.raises(UserError, match="Set OPENAI_API_KEY"):
        resolve_model(ref="openai/mine")


def test_the_environment_goes_before_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(
        text="""{models: {providers: {openai: {baseUrl: 'https://other.example/v1',
          apiKey: 'sk-row', models: [{id: 'mine', contextWindow: 5000}]}}}}"""
    )
    model = resolve_model(ref="openai/mine")
    assert (model.base_url, model.api_key) == ("https://other.example/v1", "sk-row")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    model = resolve_model(ref="openai/mine")
    # The key of the environment must not be sent to the address that the row names.
    assert (model.base_url, model.api_key) == ("https://api.openai.com/v1", "sk-env")
    assert model.context_window == 5000
