"""A call that is given up, on every wire format."""

from __future__ import annotations

import asyncio

import pytest

from agents.core.abort import AbortSignal
from agents.core.model import Failed, TextDelta
from tests.agents.providers.harness import Harness, until_open

pytestmark = pytest.mark.exhaustive


async def test_it_works(llm: Harness) -> None:
    signal = AbortSignal()
    events = []
    async for event in llm.pool.stream(llm.request("[[echo:one two three]] [[stall:2]]"), signal):
        events.append(event)
        if isinstance(event, TextDelta) and event.delta == "two ":
            signal.abort("rpc")
    final = events[-1]
    assert isinstance(final, Failed)
    assert final.error.reason == "aborted"
    assert final.message.stop_reason == "aborted"
    assert final.message.text == "one two "
    assert await until_open(llm, 0) == 0


async def test_abort_before_the_call_sends_nothing(llm: Harness) -> None:
    signal = AbortSignal()
    signal.abort()
    outcome = await llm.call("hi", signal=signal)
    assert outcome.error.reason == "aborted"
    assert llm.server.stats().get("requests", 0) == 0


async def test_abort_while_the_service_is_silent(llm: Harness) -> None:
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.1, signal.abort)
    outcome = await llm.call("[[hang]]", signal=signal)
    assert outcome.error.reason == "aborted"
    assert await until_open(llm, 0) == 0


async def test_abandoned_stream_frees_its_connection(llm: Harness) -> None:
    stream = llm.pool.stream(llm.request("[[tokens:9]] [[stall:3]]"), AbortSignal())
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()
    assert await until_open(llm, 0) == 0


async def test_aborted_answer_goes_back_as_text(llm: Harness) -> None:
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.3, signal.abort)
    cut = await llm.call("[[echo:one two three]] [[stall:2]]", signal=signal)
    assert cut.message.text == "one two "
    again = await llm.call("first", cut.message, "[[echo:fine]]")
    assert again.done.text == "fine"
    assert "one two " in str(llm.last_body())
