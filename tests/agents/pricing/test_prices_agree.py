"""The catalog's own prices, those of the list, and tiers of the configuration."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from agents.catalog.known import KNOWN_MODELS
from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.core.model import ModelInfo, Price, PriceTier
from agents.pricing.listed import price_listed

MODELS = [model for name in ("anthropic", "openai") for model in KNOWN_MODELS[name].values()]
DOCUMENT = """
models: {providers: {mine: {baseUrl: "https://llm.example.com/v1", apiKey: k, models: [
  {id: a, cost: {input: 1, output: 2, tieredPricing: [
    {range: [128000, 256000], input: 3, output: 4},
    {range: [0, 128000], input: 1.5, output: 2.5},
    {range: [256000], input: 5, output: 6, cacheRead: 0.5}]}},
  {id: b}]}}}
"""


def flat(price: Price) -> list[float]:
    """Every number of a price."""
    return [*astuple(price)[:4], *(value for tier in price.tiers for value in astuple(tier))]


def test_it_works() -> None:
    """There is something to compare."""
    assert len(MODELS) > 15


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.ref)
def test_two_sources(model: ModelInfo) -> None:
    """What we say a call costs is what the list says, long prompts included."""
    listed = price_listed(provider=model.provider, base_url="", model_id=model.id)
    assert listed is not None
    reachable = [tier for tier in listed.tiers if tier.above < model.context_window]
    assert model.price.tiers or not reachable
    expected = flat(listed) if model.price.tiers else flat(listed)[:4]
    assert flat(model.price) == pytest.approx(expected)


@pytest.mark.django_db
def test_tiers_of_the_configuration() -> None:
    """They apply above the beginning of their range, in any order of writing."""
    assert config_apply(text=DOCUMENT).warnings == ()
    price = resolve_model(ref="mine/a").price
    assert (price.input, price.output, price.known) == (1.5, 2.5, True)
    assert price.tiers == (PriceTier(128_000, 3, 4), PriceTier(256_000, 5, 6, 0.5))
    assert price.rates(128_000) is price
    assert price.rates(128_001).input == 3
    assert price.rates(1_000_000).output == 6
    assert not resolve_model(ref="mine/b").price.known
