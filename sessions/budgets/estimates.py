"""What a model call may cost at most, before it is made."""

from __future__ import annotations

from agents.core.model import ModelInfo
from agents.pricing.find import price_find
from sessions.budgets.wording import Amount

# Models state limits far beyond what they write (128,000 tokens and more); to hold that much for
# every call would refuse nearly all of them. Longer answers are rare, and are counted when they
# end: they may exceed a limit once, by what lies beyond this.
MOST_OUTPUT_TOKENS = 16_384
_MILLION = 1_000_000


def call_estimate(*, model: ModelInfo, input_tokens: int, output_tokens: int) -> Amount:
    """The most that a call is expected to take. Without a known price the money is 0.

    Input counts at the dearest of its rates, because it may be written to a cache.
    """
    stated = model.params.get("maxTokens") or model.params.get("max_tokens") or output_tokens
    output = max(0, min(output_tokens, int(stated), model.max_tokens, MOST_OUTPUT_TOKENS))
    prompt = max(0, input_tokens)
    price = price_find(model)
    if not price.known:
        return Amount(0.0, prompt + output)
    rates = price.rates(prompt)
    usd = prompt * max(rates.input, rates.cache_write) + output * rates.output
    return Amount(usd / _MILLION, prompt + output)
