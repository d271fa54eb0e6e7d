"""A turn waits for a decision and goes on with it."""

from __future__ import annotations

import asyncio
import re

import pytest

from agents.core.errors import Conflict, NotFound, UserError
from agents.core.tools import Deny
from agents.database import run_db
from sessions.lanes import lane_key
from sessions.models import Approval, ModelCall, Run
from sessions.redis_client import redis_async
from sessions.stops import run_stop
from sessions.sweeper import sweep
from tests.model_server.fixture import ModelServer
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.stage import KEY
from tools.gate import JUDGES


async def test_it_works(asking: Asking, model_server: ModelServer) -> None:
    """Nothing is written before; afterwards it is, and the model is not asked for it again."""
    model_server.reset()
    accepted, (approval,) = await asking.parked(write("a.txt") + "[[final:done]]")
    assert not (asking.workspace / "a.txt").exists()
    assert re.fullmatch("[0-9a-f]{8}", approval.slug)
    assert (approval.tool, approval.reason, approval.kind) == (
        "write",
        "Writing is watched.",
        "test",
    )
    decided = await asking.decide(approval, "allow-once")
    assert (decided.state, decided.decided_through) == ("allow-once", "test")
    item = await asking.answered(accepted)
    assert (asking.workspace / "a.txt").read_text() == "hi"
    assert item.run is not None
    assert (item.run.outcome, item.run.reply, item.run.resumptions) == ("final", "done", 0)
    assert [entry["reason"] for entry in item.run.resumed] == ["decision"]
    assert len(model_server.requests()) == 2
    assert await asking.faults() == []


async def test_what_it_gives_back(asking: Asking) -> None:
    """Neither lane nor slot nor coroutine is held, and the time does not count."""
    accepted, (approval,) = await asking.parked(write("b.txt"))
    (engine,) = asking.stage.engines
    assert engine.active == {}

    async def free() -> bool:
        return not engine._tasks and not await redis_async().exists(lane_key(accepted.session_id))

    await asking.stage.until(free)
    run = (await asking.stage.item(accepted)).run
    assert run is not None
    assert (run.worker, run.parked_at is None) == ("", False)
    assert await sweep(engine) == 0
    await asking.decide(approval, "deny")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert run.parked_at is None
    assert run.parked_seconds > 0


async def test_deny(asking: Asking) -> None:
    """The model is told, and the turn goes on."""
    accepted, (approval,) = await asking.parked(write("c.txt"))
    await asking.decide(approval, "deny")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert "was asked and did not allow this call" in run.reply
    assert not (asking.workspace / "c.txt").exists()
    (call,) = await asking.calls()
    assert (call.state, call.verdict) == ("denied", "deny")
    assert await asking.faults() == []


async def test_no_means_no(asking: Asking) -> None:
    """Also when the rules would allow the call by now."""
    accepted, (approval,) = await asking.parked(write("c2.txt"))
    JUDGES.unregister("test: writes")
    await asking.decide(approval, "deny")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert "did not allow this call" in run.reply
    assert not (asking.workspace / "c2.txt").exists()


async def test_rules_deny_what_was_allowed(asking: Asking) -> None:
    """A rule that came meanwhile holds."""
    accepted, (approval,) = await asking.parked(write("c3.txt"))
    JUDGES.register("test: never", lambda call, context: Deny("a new rule"))
    try:
        await asking.decide(approval, "allow-once")
        run = (await asking.answered(accepted)).run
    finally:
        JUDGES.unregister("test: never")
    assert run is not None
    assert "a new rule" in run.reply
    assert not (asking.workspace / "c3.txt").exists()


async def test_several_calls_of_one_answer(asking: Asking) -> None:
    """Asked in order; the turn goes on when the last of them is decided."""
    text = write("d1.txt") + write("d2.txt") + '[[tool:read {"path":"no"}]][[parallel]]'
    accepted, approvals = await asking.parked(text + "[[final:both]]")
    first, second = approvals
    assert [one.arguments["path"] for one in approvals] == ["d1.txt", "d2.txt"]
    await asking.decide(second, "deny")
    asking.stage.engines[-1].submit(accepted.session_id)
    await asking.until_parked(accepted)
    assert not (asking.workspace / "d1.txt").exists()
    await asking.decide(first, "once")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert run.reply == "both"
    assert (asking.workspace / "d1.txt").exists()
    assert not (asking.workspace / "d2.txt").exists()
    states = [call.state for call in await asking.calls()]
    assert states == ["done", "denied", "failed"]
    assert await asking.faults() == []


async def test_a_second_question_of_the_same_turn(asking: Asking) -> None:
    """Each call is asked about."""
    accepted, (first,) = await asking.parked(write("e1.txt") + write("e2.txt") + "[[final:ok]]")
    await asking.decide(first, "allow-once")
    asking.stage.engines[-1].submit(accepted.session_id)

    async def next_asked() -> bool:
        return await run_db(lambda: Approval.objects.filter(state="pending").exists())

    await asking.stage.until(next_asked)
    await asking.until_parked(accepted)
    second = await run_db(lambda: Approval.objects.get(state="pending"))
    assert second.arguments["path"] == "e2.txt"
    await asking.decide(second, "allow-once")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert run.reply == "ok"
    numbers = await run_db(lambda: list(ModelCall.objects.values_list("number", flat=True)))
    assert sorted(numbers) == [1, 2, 3]
    assert await asking.faults() == []


async def test_the_first_answer_wins(asking: Asking) -> None:
    """Two people answer at once: one of them is told that it is too late."""
    accepted, (approval,) = await asking.parked(write("f.txt"))
    answers = await asyncio.gather(
        asking.decide(approval, "allow-once"),
        asking.decide(approval, "deny"),
        return_exceptions=True,
    )
    won = [answer for answer in answers if isinstance(answer, Approval)]
    late = [answer for answer in answers if isinstance(answer, Conflict)]
    assert (len(won), len(late)) == (1, 1)
    assert late[0].message.startswith("Too late:")
    assert (await asking.row(approval)).state == won[0].state
    await asking.answered(accepted)
    assert (asking.workspace / "f.txt").exists() == (won[0].state == "allow-once")


async def test_who_may_decide(asking: Asking) -> None:
    """Others do not know of it; whose session it is needs the right as well."""
    stranger, member = await asking.stage.member("sue"), await asking.stage.member("tom")
    key = f"agent:main:web:{member.id}"
    _, (approval,) = await asking.parked(write("g.txt"), key=key, principal=member)
    with pytest.raises(NotFound):
        await asking.decide(approval, "allow-once", principal=stranger)
    with pytest.raises(UserError, match=r"operator\.approvals"):
        await asking.decide(approval, "allow-once", principal=member)
    with pytest.raises(UserError, match="use allow-once, allow-always or deny"):
        await asking.decide(approval, "perhaps")
    await asking.decide(approval, "deny")
    with pytest.raises(Conflict, match="decided already"):
        await asking.decide(approval, "allow-once")


async def test_stop_while_parked(asking: Asking) -> None:
    """The question is withdrawn at once, the turn ends as stopped, and a later answer is late."""
    accepted, (approval,) = await asking.parked(write("h.txt"))
    owner = await asking.stage.owner()
    await run_db(lambda: run_stop(principal=owner, session_key=KEY, kind="stop"))
    assert (await asking.row(approval)).state == "withdrawn"
    with pytest.raises(Conflict, match="was stopped"):
        await asking.decide(approval, "allow-once")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert (run.outcome, (asking.workspace / "h.txt").exists()) == ("aborted", False)
    assert await asking.faults() == []


async def test_interrupt_while_parked(asking: Asking) -> None:
    """Whoever writes something else has decided."""
    _, (approval,) = await asking.parked(write("i.txt"))
    behind = await asking.stage.accept("[[echo:else]]", queue_mode="interrupt")
    assert (await asking.row(approval)).state == "withdrawn"
    assert (await asking.answered(behind)).outcome == "answered"
    states = await run_db(lambda: list(Run.objects.order_by("id").values_list("outcome")))
    assert states == [("aborted",), ("final",)]
    assert await asking.faults() == []


async def test_messages_wait_or_steer(asking: Asking) -> None:
    """What steers lands behind the decided call, the rest becomes a turn of its own."""
    accepted, (approval,) = await asking.parked(write("j.txt") + "[[final:first]]")
    steering = await asking.stage.accept("[[echo:steered]]", queue_mode="steer")
    later = await asking.stage.accept("[[echo:later]]", queue_mode="followup")
    asking.stage.engines[-1].submit(accepted.session_id)
    await asking.until_parked(accepted)
    await asking.decide(approval, "allow-once")
    await asking.answered(accepted)
    assert (await asking.stage.ended(steering)).outcome == "steered"
    assert (await asking.stage.ended(later)).outcome == "answered"
    assert await asking.faults() == []


async def test_another_worker_goes_on(asking: Asking) -> None:
    """The worker that asked is gone; the decision was made while nobody worked."""
    accepted, (approval,) = await asking.parked(write("k.txt") + "[[final:went on]]")
    await asking.stage.engines.pop().drain()
    await asking.decide(approval, "allow-once")
    # A worker looks for work as it starts.
    engine = await asking.stage.engine("w2")
    run = (await asking.stage.ended(accepted)).run
    assert run is not None
    assert (run.reply, run.resumptions) == ("went on", 0)
    assert (asking.workspace / "k.txt").exists()
    await asking.stage.idle(engine)
    assert await asking.faults() == []
