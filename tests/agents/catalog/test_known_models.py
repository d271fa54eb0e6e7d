"""What is written down about the vendors' models."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from agents.catalog.known import DEFAULT_MODELS, KNOWN_MODELS
from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.core.model import ModelRequest


def literals(annotation: Any) -> set[str]:
    """Every string in a (nested) Literal."""
    found: set[str] = set()
    for part in get_args(annotation):
        found |= {part} if isinstance(part, str) else literals(part)
    return found


def test_it_works() -> None:
    """The ids are those that the vendors' own libraries name."""
    from anthropic.types import ModelParam
    from openai.types.shared import ChatModel

    assert set(KNOWN_MODELS["anthropic"]) <= literals(ModelParam)
    assert set(KNOWN_MODELS["openai"]) <= literals(ChatModel)


def test_defaults_are_among_them() -> None:
    for provider, model_id in DEFAULT_MODELS.items():
        assert model_id in KNOWN_MODELS[provider]


def test_prices_are_plausible() -> None:
    for provider in ("anthropic", "openai", "amazon-bedrock"):
        for model in KNOWN_MODELS[provider].values():
            price = model.price
            assert price.known
            assert 0 < price.cache_read < price.input <= price.cache_write < price.output <= 100
            assert model.max_tokens < model.context_window


def test_models_that_always_think_are_not_told_to_stop() -> None:
    from agents.providers.anthropic_messages.thinking import thinking_plan

    for model_id in ("claude-opus-5-5", "claude-fable-5-2"):
        request = ModelRequest(model=KNOWN_MODELS["anthropic"][model_id], messages=())
        assert thinking_plan(request).fields == {"output_config": {"effort": "low"}}
    request = ModelRequest(model=KNOWN_MODELS["anthropic"]["claude-sonnet-5-5"], messages=())
    assert thinking_plan(request).fields == {"thinking": {"type": "disabled"}}


def test_functions_are_called_without_reasoning() -> None:
    """Over Chat Completions these models refuse functions otherwise."""
    from agents.providers.openai_completions.compat import compat_for
    from agents.providers.openai_completions.request import body_build

    for model in KNOWN_MODELS["openai"].values():
        request = ModelRequest(model=model, messages=(), thinking="high")
        assert body_build(request, compat_for(model))["reasoning_effort"] == "none"


@pytest.mark.django_db
def test_a_row_overrides_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    text = "{models: {mode: '%s', providers: {anthropic: {api: 'anthropic-messages',"
    text += " models: [{id: 'claude-opus-5', contextWindow: 50000}]}}}}"
    config_apply(text=text % "merge")
    model = resolve_model(ref="anthropic/claude-opus-5")
    assert (model.context_window, model.max_tokens) == (50000, 128_000)
    assert model.price.known
    assert resolve_model(ref="claude-sonnet-5").ref == "anthropic/claude-sonnet-5"


@pytest.mark.django_db
def test_mode_replace_leaves_only_what_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from agents.catalog.listing import models_list

    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    config_apply(
        text="""{models: {mode: 'replace', providers: {anthropic: {api: 'anthropic-messages',
          models: [{id: 'claude-opus-5'}]}}}}"""
    )
    refs = [model.ref for model in models_list()]
    assert refs == ["anthropic/claude-opus-5", "rehearsal/rehearsal"]
