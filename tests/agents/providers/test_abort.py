"""Aborting a call while it runs."""

from __future__ import annotations

import asyncio

from agents.core.abort import AbortSignal
from agents.core.model import Failed, TextDelta
from tests.agents.providers.harness import Harness


async def _until_open(llm: Harness, requests: int) -> int:
    """Waits until the server sees so many open requests; gives what it sees at last."""
    for _ in range(100):
        if llm.server.stats()["in_flight"] == requests:
            break
        await asyncio.sleep(0.05)
    return llm.server.stats()["in_flight"]


async def test_it_works(llm: Harness) -> None:
    signal = AbortSignal()
    request = llm.request("[[echo:one two three]] [[stall:2]]")
    events = []
    async for event in llm.pool.stream(request, signal):
        events.append(event)
        if isinstance(event, TextDelta) and event.delta == "two ":
            signal.abort("rpc")
    final = events[-1]
    assert isinstance(final, Failed)
    assert final.error.reason == "aborted"
    assert final.message.stop_reason == "aborted"
    assert final.message.text == "one two "
    assert await _until_open(llm, 0) == 0


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
    assert await _until_open(llm, 0) == 0


async def test_abandoned_stream_frees_its_connection(llm: Harness) -> None:
    stream = llm.pool.stream(llm.request("[[tokens:9]] [[stall:3]]"), AbortSignal())
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()
    assert await _until_open(llm, 0) == 0


async def test_cancelled_consumer_frees_its_connection(llm: Harness) -> None:
    task = asyncio.create_task(llm.call("[[hang]]"))
    assert await _until_open(llm, 1) == 1
    task.cancel()
    assert (await asyncio.wait([task]))[0] == {task}
    assert task.cancelled()
    assert await _until_open(llm, 0) == 0


async def test_abort_does_not_touch_the_listener(llm: Harness) -> None:
    """The signal may be set while the consumer, not the network, is at work."""
    signal = AbortSignal()
    slept = False
    async for event in llm.pool.stream(llm.request("[[tokens:5:5]]"), signal):
        if isinstance(event, TextDelta) and not slept:
            signal.abort()
            await asyncio.sleep(0.05)
            slept = True
    assert slept
    assert isinstance(event, Failed)


async def test_calls_share_connections(llm: Harness) -> None:
    outcomes = await asyncio.gather(*(llm.call(f"[[echo:answer {n}]]") for n in range(20)))
    assert [outcome.done.text for outcome in outcomes] == [f"answer {n}" for n in range(20)]
