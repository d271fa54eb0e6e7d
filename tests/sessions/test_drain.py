"""A worker that is asked to end leaves its turns in order."""

from __future__ import annotations

import asyncio

import pytest

from agents.database import run_db
from sessions import engine as module
from sessions.models import Run
from sessions.turns.work import turn_work
from tests.sessions.stage import Stage


async def test_it_works(stage: Stage) -> None:
    """A long answer goes on at the next start: not counted, and its text is not doubled."""
    engine = await stage.engine("w1")
    accepted = await stage.accept("[[tokens:60:20]]")
    engine.submit(accepted.session_id)
    run = await stage.running(accepted)
    await stage.until(lambda: _streams(stage, accepted.session_id))
    await engine.drain()
    left = await run_db(lambda: Run.objects.get(pk=run.pk))
    assert (left.state, left.worker) == ("running", "")
    again = await stage.engine("w2")
    again.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.run is not None
    assert (item.run.resumptions, item.run.reply.count("tok0 ")) == (0, 1)
    assert len(item.run.resumed) == 1
    assert [role for role, _ in await stage.entries()] == ["user", "assistant"]
    await stage.idle(again)
    assert await stage.faults() == []


async def _streams(stage: Stage, session_id: str) -> bool:
    return any(record["t"] == "text" for record in await stage.live_records(session_id))


async def test_a_short_turn_ends_by_itself(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is interrupted who is nearly done."""
    monkeypatch.setattr(module, "DRAIN_SECONDS", 20)
    engine = await stage.engine()
    accepted = await stage.accept("[[delay:300]] [[echo:done]]")
    engine.submit(accepted.session_id)
    await stage.running(accepted)
    await engine.drain()
    item = await stage.item(accepted)
    assert item.outcome == "answered"


async def test_nothing_is_begun_any_more(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that waits for a slot is left to the next start, and does not hold up the end."""
    monkeypatch.setattr(module, "DRAIN_SECONDS", 3600)
    engine = await stage.engine()
    running = [await stage.accept("[[delay:400]]", key=f"agent:main:{n}") for n in range(4)]
    for one in running:
        engine.submit(one.session_id)
        await stage.running(one)
    waiting = await stage.accept("hello", key="agent:main:late")
    engine.submit(waiting.session_id)
    await stage.until(lambda: bool(engine.slots._queues.get("main")))
    async with asyncio.timeout(20):
        await engine.drain()
    assert [(await stage.item(one)).outcome for one in running] == ["answered"] * 4
    assert (await stage.item(waiting)).run is None
    assert engine.lanes.held == {}


async def test_messages_behind_a_turn_wait(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The turn that runs is the last one of this worker."""
    monkeypatch.setattr(module, "DRAIN_SECONDS", 20)
    engine = await stage.engine()
    first = await stage.accept("[[delay:300]] [[echo:one]]")
    engine.submit(first.session_id)
    await stage.running(first)
    second = await stage.accept("[[echo:two]]")
    engine.submit(second.session_id)
    await engine.drain()
    assert (await stage.item(first)).outcome == "answered"
    assert (await stage.item(second)).run is None
    engine.submit(second.session_id)
    assert engine._tasks == set()


async def test_a_tool_that_runs(stage: Stage) -> None:
    """It is ended, its result says so, and the model decides at the next start."""
    engine = await stage.engine("w1")
    message = '[[tool:exec {"command":"sleep 60"}]] [[final:carried on]]'
    accepted = await stage.accept(message)
    engine.submit(accepted.session_id)
    await stage.running(accepted)
    await stage.until(lambda: _tool_runs(stage, accepted.session_id))
    await engine.drain()
    again = await stage.engine("w2")
    again.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.run is not None
    assert (item.run.reply, item.run.resumptions) == ("carried on", 0)
    roles = [role for role, _ in await stage.entries()]
    assert roles == ["user", "assistant", "toolResult", "assistant"]
    await stage.idle(again)
    assert await stage.faults() == []


async def _tool_runs(stage: Stage, session_id: str) -> bool:
    return any(record["t"] == "tool.start" for record in await stage.live_records(session_id))


async def test_what_does_not_let_go(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn that ignores the request is marked as left, and cut off."""
    started = asyncio.Event()

    async def deaf(*args: object) -> bool:
        started.set()
        await asyncio.sleep(3600)
        return await turn_work(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "turn_work", deaf)
    engine = await stage.engine()
    accepted = await stage.accept("hello")
    engine.submit(accepted.session_id)
    await started.wait()
    run = await stage.running(accepted)
    await engine.drain()
    left = await run_db(lambda: Run.objects.get(pk=run.pk))
    assert (left.state, left.worker) == ("running", "")
