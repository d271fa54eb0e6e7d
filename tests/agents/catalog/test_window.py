"""How large a model's window is, and who said so."""

from __future__ import annotations

import pytest

from agents.catalog.resolve import resolve_model
from agents.catalog.window import window_of
from agents.config.services import config_apply
from agents.core.model import ModelInfo

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    """Each further statement goes before the ones above it."""
    config_apply(
        text="""{models: {providers: {lab: {baseUrl: 'http://10.0.0.1/v1', models: [
          {id: 'plain'}, {id: 'window', contextWindow: 50000},
          {id: 'tokens', contextWindow: 50000, contextTokens: 40000}]}}}}"""
    )
    expected = {
        "plain": (128_000, "default"),
        "window": (50_000, "contextWindow"),
        "tokens": (40_000, "contextTokens"),
    }
    for name, found in expected.items():
        assert window_of(resolve_model(ref=f"lab/{name}"), {}) == found


def test_known_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    assert window_of(resolve_model(ref="anthropic/claude-haiku-4-5"), {}) == (200_000, "known")
    assert window_of(resolve_model(ref="anthropic/claude-new"), {}) == (128_000, "default")


def test_the_agents_cap_only_makes_it_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ModelInfo(provider="x", id="y", api="z", context_window=20_000)
    assert window_of(model, {"contextTokens": 16_000}) == (16_000, "agentContextTokens")
    assert window_of(model, {"contextTokens": 90_000}) == (20_000, "known")
    for nonsense in (0, -5, None, "9000", True):
        assert window_of(model, {"contextTokens": nonsense}) == (20_000, "known")
