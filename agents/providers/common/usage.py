"""Token counts and money of one call."""

from __future__ import annotations

from collections.abc import Sequence

from agents.core.messages import (
    AssistantBlock,
    Cost,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    Usage,
    UserBlock,
)
from agents.core.model import ModelInfo, ModelRequest
from agents.pricing.find import price_find

# The reference's rule of thumb: four characters a token, an image counts as 1,200 tokens.
CHARS_PER_TOKEN = 4
IMAGE_CHARS = 4_800
_PRICE_UNIT = 1_000_000
# Far beyond any window; a service that reports more is wrong, and sums must fit into 64 bits.
LARGEST_COUNT = 10**12


def usage_of(
    model: ModelInfo,
    *,
    fresh: int,
    output: int,
    cache_read: int = 0,
    cache_write: int = 0,
    estimated: bool = False,
) -> Usage:
    """The usage with its cost. `fresh` counts the input tokens that no cache had.

    Counts are brought between 0 and `LARGEST_COUNT`.
    """
    fresh, output, cache_read, cache_write = (
        max(0, min(count, LARGEST_COUNT)) for count in (fresh, output, cache_read, cache_write)
    )
    price = price_find(model)
    cost = Cost()
    if price.known:
        rates = price.rates(fresh + cache_read + cache_write)
        cost = Cost(
            input=fresh * rates.input / _PRICE_UNIT,
            output=output * rates.output / _PRICE_UNIT,
            cache_read=cache_read * rates.cache_read / _PRICE_UNIT,
            cache_write=cache_write * rates.cache_write / _PRICE_UNIT,
        )
    return Usage(fresh, output, cache_read, cache_write, cost, estimated)


def usage_estimate(request: ModelRequest, content: Sequence[AssistantBlock]) -> Usage:
    """A guess from text length, marked as one, for a service that reported nothing."""
    sent = len(request.system) + sum(map(_message_chars, request.messages))
    sent += sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    received = sum(map(_block_chars, content))
    return usage_of(request.model, fresh=_tokens(sent), output=_tokens(received), estimated=True)


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def _message_chars(message: Message) -> int:
    if isinstance(message.content, str):
        return len(message.content)
    return sum(map(_block_chars, message.content))


def _block_chars(block: UserBlock | AssistantBlock) -> int:
    if isinstance(block, Text):
        return len(block.text)
    if isinstance(block, Thinking):
        return len(block.thinking)
    if isinstance(block, Image):
        return IMAGE_CHARS
    return len(block.name) + len(str(block.arguments)) if isinstance(block, ToolCall) else 0
