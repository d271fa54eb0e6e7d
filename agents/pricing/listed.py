"""Prices from the list inside the `genai-prices` package. Importing this loads the list."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import structlog
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice, TieredPrices
from genai_prices.types import Provider as ListedProvider

from agents.core.model import Price, PriceTier

log = structlog.get_logger(__name__)

# Names that our providers go by where the list has another one.
_OTHER_NAMES = {
    "amazon-bedrock": "aws",
    "bedrock": "aws",
    "azure-openai": "azure",
    "gemini": "google",
    "google-generative-ai": "google",
    "google-vertex": "google",
    "grok": "x-ai",
    "xai": "x-ai",
    "moonshot": "moonshotai",
    "kimi": "moonshotai",
}
# A subscription pays for these: the list's rates are not what a call costs.
_SUBSCRIPTIONS = frozenset({"github-copilot", "cursor"})
# Bedrock puts a region before the id of a model ("eu.anthropic.claude…").
_REGION = re.compile(r"^(?:us|eu|apac|jp|au|ca|us-gov|global)\.")


def price_listed(*, provider: str, base_url: str, model_id: str) -> Price | None:
    """The list's price at this moment, or None. Never raises and never fetches anything."""
    try:
        found = _provider(provider, base_url)
        if found is None or found.id in _SUBSCRIPTIONS:
            return None
        everybody = get_snapshot().providers
        model = found.find_model(model_id, all_providers=everybody) or found.find_model(
            _REGION.sub("", model_id), all_providers=everybody
        )
        return None if model is None else _price(model.get_prices(datetime.now(UTC)))
    except Exception:  # a surprise in somebody's data must not end a call
        log.exception("price_list_failed", provider=provider, model=model_id)
        return None


def _provider(name: str, base_url: str) -> ListedProvider | None:
    wanted = _OTHER_NAMES.get(name.lower(), name.lower())
    for provider in get_snapshot().providers:
        if base_url and re.match(provider.api_pattern, base_url):
            return provider
        if not base_url and provider.id == wanted:
            return provider
    return None


def _price(listed: ModelPrice) -> Price | None:
    """The four rates of text and their tiers; None when the list has no price of text."""
    if listed.input_mtok is None or listed.output_mtok is None:
        return None
    starts = {
        tier.start
        for rate in (listed.input_mtok, listed.output_mtok, listed.cache_read_mtok)
        if isinstance(rate, TieredPrices)
        for tier in rate.tiers
    }
    return Price(
        *_rates(listed, 0),
        known=True,
        # `above` is exclusive there as here.
        tiers=tuple(PriceTier(start, *_rates(listed, start + 1)) for start in sorted(starts)),
    )


def _rates(listed: ModelPrice, tokens: int) -> tuple[float, float, float, float]:
    """Input, output, cache read and cache write; what is not stated costs as fresh input."""

    def at(rate: Decimal | TieredPrices | None, other: Callable[[], float]) -> float:
        if rate is None:
            return other()
        if not isinstance(rate, TieredPrices):
            return float(rate)
        reached = [tier.price for tier in rate.tiers if tokens > tier.start]
        return float(reached[-1] if reached else rate.base)

    fresh = at(listed.input_mtok, float)
    return (
        fresh,
        at(listed.output_mtok, float),
        at(listed.cache_read_mtok, lambda: fresh),
        at(listed.cache_write_mtok, lambda: fresh),
    )
