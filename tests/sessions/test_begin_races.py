"""What happens while a turn is just being begun."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agents.database import run_db
from sessions import engine as module
from sessions.engine import Engine
from sessions.lanes import lane_key
from sessions.models import Run
from sessions.redis_client import redis_async
from sessions.stops import everything_resume, everything_stop, run_stop
from sessions.turns.begin import turn_begin
from sessions.turns.turn import Turn
from tests.sessions.stage import KEY, Stage


def after_begin(monkeypatch: pytest.MonkeyPatch, act: Callable[[Turn], None]) -> None:
    """Lets `act` run on the database's thread when a turn is stored, before the engine knows."""

    def begin(*args: Any, **fields: Any) -> Turn | None:
        turn = turn_begin(*args, **fields)
        if turn is not None:
            act(turn)
        return turn

    monkeypatch.setattr(module, "turn_begin", begin)


async def hear_until_idle(stage: Stage, engine: Engine, session_id: str) -> None:
    """Rings, and returns when the engine has nothing more to do."""
    engine.submit(session_id)
    await stage.idle(engine)


async def test_it_works(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop that comes between the stored run and its first step is not missed."""
    engine = await stage.engine()
    owner = await stage.owner()
    loop = asyncio.get_running_loop()

    def stop(turn: Turn) -> None:
        run_stop(principal=owner, session_key=KEY)
        message = {"t": "stop", "session": turn.session.pk, "runs": [turn.run.pk], "kind": "rpc"}
        loop.call_soon_threadsafe(engine.control, message)

    after_begin(monkeypatch, stop)
    accepted = await stage.accept("[[hang]]")
    await hear_until_idle(stage, engine, accepted.session_id)
    item = await stage.item(accepted)
    assert item.outcome == "stopped"
    assert item.detail == owner.name
    assert await stage.faults() == []


async def test_stopping_everything_reaches_it_too(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch was thrown after the turn had looked at it, and before its run was stored."""
    engine = await stage.engine()

    def stop(turn: Turn) -> None:
        asyncio.run_coroutine_threadsafe(hear(), loop).result(10)

    async def hear() -> None:
        engine.control({"t": "stop", "session": "*", "kind": "stop"})

    loop = asyncio.get_running_loop()
    after_begin(monkeypatch, stop)
    accepted = await stage.accept("[[hang]]")
    await hear_until_idle(stage, engine, accepted.session_id)
    assert (await stage.item(accepted)).outcome == "stopped"


async def test_an_old_stop_does_not_reach_the_next_turn(stage: Stage) -> None:
    """A message that named a turn which had ended already is forgotten."""
    engine = await stage.engine()
    first = await stage.accept("[[echo:one]]")
    engine.submit(first.session_id)
    engine.control({"t": "stop", "session": first.session_id, "kind": "stop", "runs": ["none"]})
    await stage.ended(first)
    await stage.idle(engine)
    second = await stage.accept("[[echo:two]]")
    engine.submit(second.session_id)
    assert (await stage.ended(second)).outcome == "answered"


async def test_a_lane_lost_in_the_queue_begins_nothing(stage: Stage) -> None:
    """Another worker took the session over while this one waited for a slot."""
    engine = await stage.engine()
    accepted = await stage.accept("[[echo:late]]")
    async with engine.slots.slot("main", 1), engine.slots.slot("main", 4):
        held = [engine.slots.slot("main", 4) for _ in range(2)]
        for one in held:
            await one.__aenter__()
        engine.submit(accepted.session_id)
        await stage.until(lambda: bool(engine.slots._queues.get("main")))
        await redis_async().set(lane_key(accepted.session_id), "w2|other", px=15_000)
        await engine.lanes._renew(engine.lanes.held[accepted.session_id])
        for one in held:
            await one.__aexit__(None, None, None)
        await stage.idle(engine)
    assert (await stage.item(accepted)).run is None
    assert await redis_async().get(lane_key(accepted.session_id)) == b"w2|other"


async def test_everything_stopped_begins_nothing(stage: Stage) -> None:
    """Messages wait, and go on when the switch is turned back."""
    engine = await stage.engine()
    await run_db(lambda: everything_stop(by="ann"))
    accepted = await stage.accept("[[echo:later]]")
    await hear_until_idle(stage, engine, accepted.session_id)
    assert (await stage.item(accepted)).run is None
    assert await stage.faults(settled=False) == []
    await run_db(lambda: everything_resume(by="ann"))
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"


async def test_the_switch_is_seen_without_redis(stage: Stage) -> None:
    """The news of the switch was lost: the rows are asked from time to time."""
    engine = await stage.engine()
    accepted = await stage.accept("[[hang]]")
    engine.submit(accepted.session_id)
    run = await stage.running(accepted)
    assert await run_db(module.stops_asked, [run.pk]) == []
    await run_db(lambda: everything_stop(by="ann"))
    assert await run_db(module.stops_asked, [run.pk]) == [(run.pk, "stop")]
    await stage.ended(accepted)


async def test_a_single_stop_is_seen_without_redis(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop whose message was lost is found in the run's row."""
    monkeypatch.setattr(module, "STOP_POLL_SECONDS", 0.05)
    engine = await stage.engine()
    accepted = await stage.accept("[[hang]]")
    engine.submit(accepted.session_id)
    run = await stage.running(accepted)
    asked = {"stop_kind": "rpc", "stop_by": "ann"}
    await run_db(lambda: Run.objects.filter(pk=run.pk).update(**asked))
    assert (await stage.ended(accepted)).outcome == "stopped"
