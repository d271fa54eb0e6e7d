"""Where the price of a model comes from."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.core.model import ModelInfo, Price, PriceTier
from agents.pricing.find import price_find
from agents.providers.common.usage import usage_of

STATED = Price(1, 2, 0.5, 1.5, known=True)


def test_it_works() -> None:
    """A model that nobody states a price for has the list's one, caches included."""
    price = price_find(ModelInfo("google", "gemini-2.5-flash", "google-generative-ai"))
    assert price.known
    assert 0 < price.cache_read < price.input < price.output


def test_a_stated_price_comes_first() -> None:
    """What the configuration says holds, even for a model that everybody knows."""
    model = ModelInfo("anthropic", "claude-sonnet-4-5", "anthropic-messages", price=STATED)
    assert price_find(model) == STATED


def test_the_catalog_comes_before_the_list() -> None:
    """Its numbers are ours, and cost nothing to look up."""
    model = ModelInfo("anthropic", "claude-sonnet-4-5", "anthropic-messages")
    assert price_find(model).input == 3


@pytest.mark.parametrize(
    ("provider", "address", "model_id"),
    [
        ("mine", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5"),
        ("groq", "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"),
        ("bedrock", "", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("aws", "https://bedrock-runtime.eu-west-1.amazonaws.com", "amazon.nova-pro-v1:0"),
        ("deepseek", "https://api.deepseek.com", "deepseek-chat"),
    ],
)
def test_the_address_decides(provider: str, address: str, model_id: str) -> None:
    """Whatever a provider is called here: who is asked sends the bill."""
    assert price_find(ModelInfo(provider, model_id, "x", base_url=address)).known


@pytest.mark.parametrize(
    ("provider", "address", "model_id"),
    [
        ("ollama", "http://127.0.0.1:11434/v1", "llama3.2"),
        ("openai", "http://192.168.1.4/v1", "gpt-4o"),
        ("openai", "https://llm.example.com/v1", "gpt-4o"),
        ("openai", "https://api.openai.com/v1", "no-such-model-at-all"),
        ("github-copilot", "https://api.githubcopilot.com", "gpt-4o"),
        ("nobody", "", "gpt-4o"),
    ],
)
def test_unknown(provider: str, address: str, model_id: str) -> None:
    """Somebody else's machine, a subscription, a name that nobody knows: no price, not zero."""
    assert price_find(ModelInfo(provider, model_id, "x", base_url=address)) == Price()


def test_long_prompts() -> None:
    """A tier holds for every token of the call, beginning above its limit."""
    price = Price(1, 2, 0.1, 1.25, known=True, tiers=(PriceTier(1000, 10, 20, 1, 12.5),))
    model = ModelInfo("mine", "m", "x", price=price)
    short = usage_of(model, fresh=600, cache_read=400, output=100).cost
    long = usage_of(model, fresh=601, cache_read=400, output=100).cost
    assert short.total == pytest.approx((600 + 40 + 200) / 1e6)
    assert long.total == pytest.approx((6010 + 400 + 2000) / 1e6)


def test_the_lists_tiers() -> None:
    """They are taken over."""
    model = ModelInfo("google", "gemini-2.5-pro", "google-generative-ai")
    price = price_find(model)
    assert price.rates(200_000).input == price.input
    assert price.rates(200_001).input == 2 * price.input


def test_the_list_is_loaded_late() -> None:
    """A process that asks only for stated and known prices never loads it."""
    code = (
        "import sys\n"
        "from agents.core.model import ModelInfo, Price\n"
        "from agents.pricing.find import price_find\n"
        "from agents.providers.common.usage import usage_of\n"
        "price_find(ModelInfo('anthropic', 'claude-sonnet-4-5', 'x'))\n"
        "price_find(ModelInfo('ollama', 'any', 'x', base_url='http://localhost:1'))\n"
        "assert 'genai_prices' not in sys.modules\n"
        "price_find(ModelInfo('groq', 'llama-3.3-70b-versatile', 'x'))\n"
        "assert 'genai_prices' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
