"""A worker that lost a session cannot write into it any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.core.messages import AssistantMessage, Text, ToolResultMessage
from agents.database import run_db
from sessions.lanes import lane_key
from sessions.models import Entry, Run, Session
from sessions.redis_client import redis_async
from sessions.turns.begin import turn_begin
from sessions.turns.finish import Ending, turn_finish
from sessions.turns.steering import steering_take
from sessions.turns.turn import LeaseLostError, Turn
from sessions.turns.writes import batch_commit, results_commit, run_park, tool_result_store
from tests.sessions.stage import Stage

ANSWER = AssistantMessage(content=(Text("from the dead"),))
WRITES: dict[str, Callable[[Turn], Any]] = {
    "an answer with calls": lambda turn: batch_commit(
        turn, answer=ANSWER, calls=(), call=None, number=1
    ),
    "results": lambda turn: results_commit(turn, [ToolResultMessage("c", "exec", ())], 2),
    "one result": lambda turn: tool_result_store(turn, call_id="c", changes={"state": "done"}),
    "steering": lambda turn: steering_take(turn, held=ANSWER, call=None, number=1),
    "parking": run_park,
    "the end": lambda turn: turn_finish(turn, Ending(Run.Outcome.FINAL, held=ANSWER)),
}


async def taken_twice(stage: Stage) -> tuple[Turn, Turn]:
    """A turn of a worker that was thought dead, and the same of another one."""
    accepted = await stage.accept("[[echo:alive]]")
    turns = [await run_db(turn_begin, accepted.session_id, name) for name in ("w1", "w2")]
    assert turns[0] is not None
    assert turns[1] is not None
    assert turns[0].run.pk == turns[1].run.pk
    await stage.accept("waits", queue_mode="steer")
    return turns[0], turns[1]


@pytest.mark.parametrize("name", WRITES)
async def test_it_works(stage: Stage, name: str) -> None:
    """Every write of the old holder fails and changes nothing."""
    old, new = await taken_twice(stage)
    places = (old.next_seq, old.leaf)
    with pytest.raises(LeaseLostError):
        await run_db(WRITES[name], old)
    assert (old.next_seq, old.leaf) == places
    assert await stage.entries() == [("user", "[[echo:alive]]")]
    run = await run_db(lambda: Run.objects.get(pk=new.run.pk))
    assert (run.state, run.worker) == ("running", "w2")


async def test_the_new_holder_writes(stage: Stage) -> None:
    """The same writes are fine under the current fence."""
    _, new = await taken_twice(stage)
    await run_db(WRITES["the end"], new)
    assert await stage.entries() == [("user", "[[echo:alive]]"), ("assistant", "from the dead")]


async def test_the_fence_only_rises(stage: Stage) -> None:
    """Each taking over has a higher one, stored in the session and the run."""
    old, new = await taken_twice(stage)
    assert new.fence == old.fence + 1
    session = await run_db(lambda: Session.objects.get(pk=new.session.pk))
    run = await run_db(lambda: Run.objects.get(pk=new.run.pk))
    assert session.fence == run.fence == new.fence


async def test_two_live_workers(stage: Stage) -> None:
    """The first one is still streaming when the second takes over: one answer, one end."""
    first, second = await stage.engine("w1"), await stage.engine("w2")
    accepted = await stage.accept("[[tokens:60:20]]")
    first.submit(accepted.session_id)
    await stage.running(accepted)
    await redis_async().delete(lane_key(accepted.session_id))
    second.submit(accepted.session_id)
    item = await stage.ended(accepted)
    for engine in (first, second):
        await stage.idle(engine)
    assert item.run is not None
    assert (item.outcome, item.run.worker, item.run.resumptions) == ("answered", "w2", 1)
    assert [role for role, _ in await stage.entries()] == ["user", "assistant"]
    records = await stage.live_records(accepted.session_id)
    assert [record["t"] for record in records].count("run.end") == 1
    assert records[-1]["t"] == "run.end"
    assert await stage.faults() == []


async def test_a_lost_lease_ends_the_turn_early(stage: Stage) -> None:
    """The old worker does not wait for its model when it hears that the lane is gone."""
    first, second = await stage.engine("w1"), await stage.engine("w2")
    accepted = await stage.accept("[[hang]]")
    first.submit(accepted.session_id)
    await stage.running(accepted)
    lane = first.lanes.held[accepted.session_id]
    await redis_async().delete(lane_key(accepted.session_id))
    second.submit(accepted.session_id)
    await stage.until(lambda: bool(second.active))
    await first.lanes._renew(lane)
    await stage.idle(first)
    assert (await stage.item(accepted)).outcome == ""
    assert list(second.active) == [accepted.session_id]


async def test_numbers_go_on(stage: Stage) -> None:
    """Entries of the new holder follow those of the old one without a gap."""
    old, _ = await taken_twice(stage)
    engine = await stage.engine("w3")
    engine.submit(old.session.pk)
    await stage.idle(engine)
    rows = Entry.objects.filter(transcript_id=old.transcript_id).order_by("seq")
    seqs = await run_db(lambda: list(rows.values_list("seq", flat=True)))
    assert seqs == list(range(1, len(seqs) + 1))
