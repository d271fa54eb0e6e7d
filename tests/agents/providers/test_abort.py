"""Consumers of a call that go away or stop it at odd moments."""

from __future__ import annotations

import asyncio

from agents.core.abort import AbortSignal
from agents.core.model import Failed, TextDelta
from tests.agents.providers.harness import Harness, until_open


async def test_it_works(llm: Harness) -> None:
    """A consumer that is cancelled frees its connection."""
    task = asyncio.create_task(llm.call("[[hang]]"))
    assert await until_open(llm, 1) == 1
    task.cancel()
    assert (await asyncio.wait([task]))[0] == {task}
    assert task.cancelled()
    assert await until_open(llm, 0) == 0


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
