"""Which model answers when nobody named one."""

from __future__ import annotations

import pytest

from agents.catalog.listing import provider_in_use
from agents.catalog.resolve import default_model_ref, resolve_model
from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.models import AuthProfile, Provider
from agents.selectors import agent_snapshot
from agents.services import agent_create

pytestmark = pytest.mark.django_db


def lab_make() -> None:
    Provider.objects.create(
        name="lab",
        api="openai-completions",
        base_url="http://10.1.1.1/v1",
        catalog=[{"id": "a"}, {"id": "b"}],
    )


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each further choice goes before the ones above it."""
    assert default_model_ref() == "rehearsal/rehearsal"
    lab_make()
    assert default_model_ref() == "lab/a"
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    assert default_model_ref() == "openai/gpt-6-sol"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    assert default_model_ref() == "anthropic/claude-sonnet-5-5"
    Provider.objects.filter(name="lab").delete()
    config_apply(text="{agents: {defaults: {model: 'openai/gpt-6-luna'}}}")
    assert default_model_ref() == "openai/gpt-6-luna"
    assert default_model_ref(agent_model="openai/gpt-5.4") == "openai/gpt-5.4"
    monkeypatch.setenv("OPENCLAW_MODEL", "anthropic/claude-opus-5")
    assert default_model_ref(agent_model="openai/gpt-5.4") == "anthropic/claude-opus-5"


def test_an_agent_sees_it_in_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    lab_make()
    agent_create(name="Own", model="lab/b")
    assert agent_snapshot(slug="own").model == "lab/b"
    assert agent_snapshot(slug="main").model == "lab/a"
    monkeypatch.setenv("OPENCLAW_MODEL", "lab/b")
    assert agent_snapshot(slug="main").model == "lab/b"


def test_a_choice_that_cannot_be_used_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_MODEL", "anthropic/claude-opus-5")
    with pytest.raises(UserError, match="Set ANTHROPIC_API_KEY"):
        resolve_model(ref="")
    shown = provider_in_use()
    assert (shown["rehearsal"], shown["model"]) == (False, "anthropic/claude-opus-5")
    assert "ANTHROPIC_API_KEY" in shown["problem"]


def test_providers_that_cannot_be_used_are_passed_over() -> None:
    Provider.objects.create(
        name="away",
        api="openai-completions",
        base_url="https://away.example/v1",
        catalog=[{"id": "m"}],
    )
    Provider.objects.create(name="empty", api="openai-completions", base_url="http://10.1.1.1/v1")
    Provider.objects.create(
        name="off",
        api="openai-completions",
        base_url="http://10.1.1.1/v1",
        catalog=[{"id": "m"}],
        enabled=False,
    )
    assert default_model_ref() == "rehearsal/rehearsal"
    AuthProfile.objects.create(name="away:default", provider="away", secret="sk")
    assert default_model_ref() == "away/m"


def test_a_credential_alone_is_enough_for_a_vendor() -> None:
    AuthProfile.objects.create(name="work", provider="anthropic", secret="sk-ant")
    model = resolve_model(ref="")
    assert (model.ref, model.api_key) == ("anthropic/claude-sonnet-5-5", "sk-ant")
    assert provider_in_use()["source"] == "database"


def test_the_rehearsal_says_what_it_is() -> None:
    assert provider_in_use() == {
        "ref": "rehearsal/rehearsal",
        "provider": "rehearsal",
        "model": "Rehearsal",
        "source": "built-in",
        "problem": "",
        "rehearsal": True,
    }
