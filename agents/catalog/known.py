"""What is known of the vendors' own models without asking: limits and list prices.

Ids are those that the vendors' Python libraries name; limits and prices are from their public
model and price pages as of November 2026, US dollars per million tokens of a standard request
(long prompts cost what the vendor says, fast or batch processing is not told apart). An
id that is not listed can be used all the same, with the defaults of ModelInfo and no price.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.catalog.known_providers import ANTHROPIC_API, BEDROCK, BEDROCK_API, OPENAI_API
from agents.catalog.known_services import SERVICE_DEFAULTS, SERVICE_MODELS
from agents.core.model import ModelInfo, Price, PriceTier

RESPONSES_API = "openai-responses"

_MILLION = 1_000_000
_TEXT_AND_IMAGES = ("text", "image")


def _claude(
    model_id: str, name: str, window: int, output: int, *prices: float, **compat: Any
) -> ModelInfo:
    return ModelInfo(
        provider="anthropic",
        id=model_id,
        api=ANTHROPIC_API,
        name=name,
        context_window=window,
        max_tokens=output,
        input=_TEXT_AND_IMAGES,
        reasoning=True,
        price=_price(*prices),
        compat=compat,
    )


def _gpt(model_id: str, name: str, *prices: float) -> ModelInfo:
    # Over Chat Completions these models call functions only without reasoning, and some reason
    # unless they are told not to; so they count as models that do not reason.
    return ModelInfo(
        provider="openai",
        id=model_id,
        api=OPENAI_API,
        name=name,
        context_window=1_050_000,
        max_tokens=128_000,
        input=_TEXT_AND_IMAGES,
        reasoning=False,
        price=_longer(_price(*prices), 272_000, 2, 1.5),
        params={"extraBody": {"reasoning_effort": "none"}},
    )


def over_responses(model: ModelInfo) -> ModelInfo:
    """The known model as it is over Responses: there OpenAI's models reason and call functions."""
    if model.api != OPENAI_API or model.provider != "openai":
        return model
    return replace(model, api=RESPONSES_API, reasoning=True, params={})


def _price(
    base: float = 0, output: float = 0, cache_read: float = 0, cache_write: float = 0
) -> Price:
    return Price(base, output, cache_read, cache_write, known=True)


def _longer(price: Price, above: int, prompt: float, answer: float) -> Price:
    """`price` with the factors that prompts of more than `above` tokens cost more."""
    rates = (price.input * prompt, price.output * answer)
    caches = (price.cache_read * prompt, price.cache_write * prompt)
    return replace(price, tiers=(PriceTier(above, *rates, *caches),))


# `alwaysThinking`: the model refuses to be told not to think.
_ANTHROPIC = (
    _claude("claude-sonnet-5-5", "Claude Sonnet 5.5", _MILLION, 128_000, 2, 10, 0.1, 2.5),
    _claude(
        "claude-opus-5-5", "Claude Opus 5.5", _MILLION, 128_000, 4, 20, 0.2, 5, alwaysThinking=True
    ),
    replace(
        _claude("claude-haiku-5-5", "Claude Haiku 5.5", _MILLION, 128_000),
        price=_longer(_price(0.1, 0.5, 0.01, 0.125), 100_000, 5, 5),
    ),
    _claude(
        "claude-fable-5-2", "Claude Fable 5.2", _MILLION, 128_000, 8, 40, 0.2, 10,
        alwaysThinking=True,
    ),
    _claude(
        "claude-fable-5-1", "Claude Fable 5.1", _MILLION, 128_000, 10, 50, 0.25, 12.5,
        alwaysThinking=True,
    ),
    _claude("claude-sonnet-5", "Claude Sonnet 5", _MILLION, 128_000, 2, 10, 0.2, 2.5),
    _claude("claude-opus-5", "Claude Opus 5", _MILLION, 128_000, 5, 25, 0.5, 6.25),
    _claude("claude-opus-4-8", "Claude Opus 4.8", _MILLION, 128_000, 5, 25, 0.5, 6.25),
    _claude("claude-opus-4-7", "Claude Opus 4.7", _MILLION, 128_000, 5, 25, 0.5, 6.25),
    _claude("claude-opus-4-6", "Claude Opus 4.6", _MILLION, 128_000, 5, 25, 0.5, 6.25),
    _claude("claude-sonnet-4-6", "Claude Sonnet 4.6", _MILLION, 64_000, 3, 15, 0.3, 3.75),
    _claude("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, 1, 5, 0.1, 1.25),
    _claude("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000, 5, 25, 0.5, 6.25),
    _claude("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000, 3, 15, 0.3, 3.75),
)  # fmt: skip
# gpt-6-astra and gpt-6.1-sol are left out: over Chat Completions they refuse all functions.
_OPENAI = (
    _gpt("gpt-6-sol", "GPT-6 Sol", 2, 10, 0.2, 2.5),
    _gpt("gpt-6-luna", "GPT-6 Luna", 0.1, 0.5, 0.01, 0.125),
    _gpt("gpt-6.1-terra", "GPT-6.1 Terra", 1, 5, 0.05, 1.25),
    _gpt("gpt-5.6-sol", "GPT-5.6 Sol", 4, 20, 0.4, 5),
    _gpt("gpt-5.6-terra", "GPT-5.6 Terra", 2, 12, 0.2, 2.5),
    _gpt("gpt-5.6-luna", "GPT-5.6 Luna", 0.2, 1.2, 0.02, 0.25),
    _gpt("gpt-5.4", "GPT-5.4", 2.5, 15, 0.25, 2.5),
    replace(
        _gpt("gpt-5.4-mini", "GPT-5.4 Mini"),
        context_window=400_000,
        price=_price(0.75, 4.5, 0.075, 0.75),
    ),
)

# The newest names have no version behind them; the older ones are AWS's own.
_BEDROCK_IDS = {
    "claude-sonnet-5-5": "global.anthropic.claude-sonnet-5-5",
    "claude-opus-5-5": "global.anthropic.claude-opus-5-5",
    "claude-haiku-5-5": "global.anthropic.claude-haiku-5-5",
    "claude-fable-5-2": "global.anthropic.claude-fable-5-2",
    "claude-opus-5": "global.anthropic.claude-opus-5",
    "claude-sonnet-5": "global.anthropic.claude-sonnet-5-v1:0",
    "claude-opus-4-8": "global.anthropic.claude-opus-4-8-v1:0",
    "claude-opus-4-6": "global.anthropic.claude-opus-4-6-v1:0",
    "claude-sonnet-4-6": "global.anthropic.claude-sonnet-4-6-v1:0",
    "claude-haiku-4-5": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
    "claude-sonnet-4-5": "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
}
_BEDROCK = [
    replace(model, provider=BEDROCK, api=BEDROCK_API, id=_BEDROCK_IDS[model.id])
    for model in _ANTHROPIC
    if model.id in _BEDROCK_IDS
]

KNOWN_MODELS: dict[str, dict[str, ModelInfo]] = {
    "anthropic": {model.id: model for model in _ANTHROPIC},
    "openai": {model.id: model for model in _OPENAI},
    BEDROCK: {model.id: model for model in _BEDROCK},
    **SERVICE_MODELS,
}
# What a vendor answers with when nobody chose: quick, able to use tools, not the dearest.
DEFAULT_MODELS: dict[str, str] = {
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-6-sol",
    BEDROCK: _BEDROCK_IDS["claude-sonnet-5-5"],
    **SERVICE_DEFAULTS,
}

REHEARSAL = ModelInfo(
    provider="rehearsal",
    id="rehearsal",
    api="rehearsal",
    name="Rehearsal",
    input=_TEXT_AND_IMAGES,
    price=Price(known=True),
)
