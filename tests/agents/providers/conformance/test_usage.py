"""Tokens and money, on every wire format."""

from __future__ import annotations

import pytest

from agents.core.model import Price
from tests.agents.providers.harness import Harness

pytestmark = pytest.mark.exhaustive


async def test_it_works(llm: Harness) -> None:
    price = Price(input=1_000, output=2_000, known=True)
    outcome = await llm.call("[[echo:hi]] [[usage:30:5]]", model={"price": price})
    usage = outcome.done.usage
    assert (usage.input, usage.output, usage.estimated) == (30, 5, False)
    assert usage.cost.total == pytest.approx(30 * 0.001 + 5 * 0.002)


async def test_thinking_counts_as_output(llm: Harness) -> None:
    outcome = await llm.call("[[think:hm]] [[echo:hi]] [[usage:30:5]]")
    assert (outcome.done.usage.input, outcome.done.usage.output) == (30, 5)


@pytest.mark.parametrize("case", ["usage_last", "usage_every"])
async def test_running_totals_count_once(llm: Harness, case: str) -> None:
    usage = (await llm.call(f"[[odd:{case}]]")).done.usage
    assert (usage.input, usage.output, usage.estimated) == (30, 5, False)


@pytest.mark.parametrize("case", ["usage_null", "usage_missing"])
async def test_missing_usage_is_estimated_and_marked(llm: Harness, case: str) -> None:
    usage = (await llm.call(f"[[odd:{case}]]", tools=())).done.usage
    assert usage.estimated
    # "ok then" has 7 characters, four to a token.
    assert usage.output == 2
    assert usage.input == -(-len(f"[[odd:{case}]]") // 4)
