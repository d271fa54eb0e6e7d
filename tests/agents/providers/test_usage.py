"""Counting of tokens as services report them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core.messages import Text, UserMessage
from agents.core.model import ModelInfo, ModelRequest, Price
from agents.providers.anthropic_messages.events import EventDecoder
from agents.providers.common.usage import usage_estimate
from agents.providers.openai_completions.chunks import usage_read

PRICED = ModelInfo(
    provider="p",
    id="m",
    api="openai-completions",
    price=Price(input=1.0, output=2.0, cache_read=0.1, cache_write=1.25, known=True),
)


def test_it_works() -> None:
    usage = usage_read({"prompt_tokens": 10, "completion_tokens": 5}, PRICED)
    assert usage is not None
    assert (usage.input, usage.output, usage.total) == (10, 5, 15)


@pytest.mark.parametrize(
    ("reported", "counts"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 60}}, (40, 60, 0)),
        ({"prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30}}, (10, 60, 30)),
        ({"prompt_cache_hit_tokens": 70}, (30, 70, 0)),
        ({"prompt_tokens_details": None}, (100, 0, 0)),
        ({"prompt_tokens_details": {"cached_tokens": 500}}, (0, 500, 0)),
    ],
)
def test_cached_tokens_are_left_out_of_the_input(
    reported: dict[str, Any], counts: tuple[int, int, int]
) -> None:
    usage = usage_read({"prompt_tokens": 100, "completion_tokens": 5, **reported}, PRICED)
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.cache_write) == counts


@pytest.mark.parametrize("reported", [{}, {"prompt_tokens": 0}, {"prompt_tokens": None}])
def test_report_of_nothing_is_no_report(reported: dict[str, Any]) -> None:
    assert usage_read(reported, PRICED) is None


@pytest.mark.parametrize("reported", [10**20, 1e300, float("inf")])
def test_absurd_counts_can_be_stored_and_summed(reported: float) -> None:
    usage = usage_read({"prompt_tokens": reported, "completion_tokens": reported}, PRICED)
    assert usage is not None
    assert 0 < usage.total < 2**62


def test_negative_counts_are_none() -> None:
    decoder = EventDecoder(ModelRequest(PRICED, ()))
    spoilt = {"input_tokens": 9, "output_tokens": -5, "cache_read_input_tokens": -(10**20)}
    decoder.feed({"type": "message_start", "message": {"usage": spoilt}})
    assert decoder.usage is not None
    assert decoder.usage.total == 9


def test_anthropic_counts_are_running_totals() -> None:
    decoder = EventDecoder(ModelRequest(PRICED, ()))
    first = {"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 4}
    decoder.feed({"type": "message_start", "message": {"usage": first}})
    decoder.feed({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 30}})
    usage = decoder.usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == (9, 30, 4, 0)
    assert usage.cost.total == pytest.approx((9 + 60 + 0.4) / 1_000_000)


def test_estimate_is_four_characters_a_token_and_marked() -> None:
    request = ModelRequest(PRICED, (UserMessage("12345"),), system="1234")
    usage = usage_estimate(request, (Text("123456789"),))
    assert (usage.input, usage.output, usage.estimated) == (3, 3, True)
    assert usage.cost.total > 0
