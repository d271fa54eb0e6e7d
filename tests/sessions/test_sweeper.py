"""Work that nobody looks after is found."""

from __future__ import annotations

from typing import Any

from django.db import connection

from agents.core.messages import ToolCall
from agents.core.tools import Park
from agents.database import run_db
from sessions.lanes import lane_key
from sessions.models import InboundReceipt, InboxItem, Run
from sessions.redis_client import redis_async
from sessions.stops import everything_stop
from sessions.sweeper import sweep
from sessions.turns import begin
from sessions.turns.begin import turn_begin
from sessions.turns.turn import Turn
from sessions.turns.writes import run_park
from tests.platform.redis_server import RedisServer
from tests.sessions.stage import Stage


class Found:
    """Stands where the engine stands, and only notes what it is given."""

    def __init__(self) -> None:
        self.sessions: list[str] = []

    def submit(self, session_id: str) -> None:
        self.sessions.append(session_id)


async def found() -> list[str]:
    """What one sweep takes up."""
    engine = Found()
    assert await sweep(engine) == len(engine.sessions)
    return engine.sessions


async def begun(stage: Stage, key: str) -> Turn:
    """A turn of a worker that is dead now."""
    accepted = await stage.accept("hello", key=key)
    turn = await run_db(turn_begin, accepted.session_id, "dead")
    assert turn is not None
    return turn


async def test_it_works(stage: Stage) -> None:
    """A message whose bell was not heard is answered all the same: a worker looks as it starts."""
    accepted = await stage.accept("[[echo:found]]")
    assert await found() == [accepted.session_id]
    engine = await stage.engine()
    item = await stage.ended(accepted)
    assert item.outcome == "answered"
    await stage.idle(engine)
    assert await found() == []


async def test_a_turn_whose_worker_died(stage: Stage) -> None:
    """Its lane has ended, its run has not."""
    turn = await begun(stage, "agent:main:a")
    assert await found() == [turn.session.pk]


async def test_what_is_looked_after_is_left_alone(stage: Stage) -> None:
    """A session whose lane is held, with a turn or without."""
    turn = await begun(stage, "agent:main:a")
    waiting = await stage.accept("hello", key="agent:main:b")
    for session_id in (turn.session.pk, waiting.session_id):
        await redis_async().set(lane_key(session_id), "w2|x", px=15_000)
    assert await found() == []


async def test_parked_turns_wait(stage: Stage) -> None:
    """Somebody must decide first; messages behind it wait too. A stop ends the waiting."""
    turn = await begun(stage, "agent:main:a")
    await run_db(run_park, turn, [(ToolCall("c1", "write", {}), Park("digest"))])
    await stage.accept("more", key="agent:main:a")
    assert await found() == []
    stop = {"stop_kind": "rpc", "stop_by": "ann"}
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(**stop))
    assert await found() == [turn.session.pk]


async def test_a_parked_turn_that_is_stopped_ends(stage: Stage) -> None:
    """Without a decision, as stopped."""
    turn = await begun(stage, "agent:main:a")
    await run_db(run_park, turn)
    stop = {"stop_kind": "rpc", "stop_by": "ann"}
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(**stop))
    engine = await stage.engine()
    await stage.idle(engine)
    await sweep(engine)
    await stage.idle(engine)
    run = await run_db(lambda: Run.objects.get(pk=turn.run.pk))
    assert (run.state, run.outcome) == ("ended", "aborted")
    assert await stage.faults() == []


async def test_a_parked_turn_that_is_interrupted_ends(stage: Stage) -> None:
    """Whoever writes something else has decided."""
    turn = await begun(stage, "agent:main:a")
    await run_db(run_park, turn)
    engine = await stage.engine()
    accepted = await stage.accept("[[echo:else]]", key="agent:main:a", queue_mode="interrupt")
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"
    run = await run_db(lambda: Run.objects.get(pk=turn.run.pk))
    assert (run.outcome, run.stop_by) == ("aborted", accepted.run_id)
    await stage.idle(engine)
    assert await stage.faults() == []


async def test_nothing_while_everything_is_stopped(stage: Stage) -> None:
    """The switch holds for turns that were left, too."""
    await begun(stage, "agent:main:a")
    await run_db(lambda: everything_stop(by="ann"))
    assert await found() == []


async def test_a_full_session_does_not_hide_others(stage: Stage) -> None:
    """However many messages wait in one session, it is one session."""
    crowded = await stage.accept("first", key="agent:main:a")
    row: Any = await stage.item(crowded)
    await run_db(lambda: _copies(row, 1200))
    quiet = await stage.accept("hello", key="agent:main:b")
    assert sorted(await found()) == sorted([crowded.session_id, quiet.session_id])


def _copies(item: Any, count: int) -> None:
    """Stores a message again and again."""
    receipts = InboundReceipt.objects.bulk_create(
        InboundReceipt(source="test", source_id=str(n), digest="") for n in range(count)
    )
    fields = {"session": item.session, "person_id": item.person_id, "principal": item.principal}
    InboxItem.objects.bulk_create(
        InboxItem(receipt=receipt, wire_id=f"copy-{receipt.pk}", text="x", **fields)
        for receipt in receipts
    )


async def test_without_redis_it_waits(stage: Stage, redis_server: RedisServer) -> None:
    """Who holds a lane cannot be known: nothing is taken up, nothing is raised."""
    await begun(stage, "agent:main:a")
    redis_server.stop(kill=True)
    try:
        assert await found() == []
    finally:
        redis_server.start()
    assert len(await found()) == 1


async def test_ended_runs_are_not_read(stage: Stage) -> None:
    """Open runs are found by their own small index, however many have ended."""
    await begun(stage, "agent:main:a")
    unended = Run.objects.exclude(state=Run.State.ENDED).order_by()
    plan = await run_db(lambda: unended.values_list("session_id", "state", "stop_kind").explain())
    assert_uses_index(plan)
    assert_uses_index(await run_db(_plan_of_begin))


def assert_uses_index(plan: str) -> None:
    """A database with few rows may read them all instead."""
    assert "one_open_run_a_session" in plan or "Seq Scan" in plan


def _plan_of_begin() -> str:
    explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    with connection.cursor() as cursor:
        cursor.execute(f"{explain} {begin._OPEN_RUN}", ["a"])
        return str(cursor.fetchall())
