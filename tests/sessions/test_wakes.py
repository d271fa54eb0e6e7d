"""A session that nobody wrote to begins a turn for what happened."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.database import run_db
from sessions.models import Approval, InboxItem, Run, Session
from sessions.stops import everything_resume, everything_stop
from sessions.system_events.services import system_event_add, system_events_withdraw
from sessions.turns.begin import turn_begin
from sessions.turns.turn import Turn
from sessions.turns.writes import run_park
from sessions.wakes import ASKED, TOLD, WAKE_SINKS, Wake
from tests.sessions.stage import KEY, Stage

DONE = "[[echo:the build is green]]"


async def session_made(stage: Stage) -> str:
    """A session with one answered message; its id."""
    engine = await stage.engine()
    accepted = await stage.accept("[[echo:hello]]")
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    await stage.idle(engine)
    return accepted.session_id


async def woken(text: str = DONE, **fields: Any) -> bool:
    return await run_db(
        lambda: system_event_add(session_key=KEY, text=text, source="test", wake=True, **fields)
    )


async def wakes() -> list[InboxItem]:
    items = InboxItem.objects.filter(origin__kind="wake").order_by("id")
    return await run_db(lambda: list(items.select_related("run")))


async def worked(stage: Stage, session_id: str) -> None:
    """What waits is worked to its end."""
    stage.engines[0].submit(session_id)
    await stage.idle(stage.engines[0])


async def test_it_works(stage: Stage) -> None:
    session_id = await session_made(stage)
    assert await woken()
    await worked(stage, session_id)
    (item,) = await wakes()
    assert item.run is not None
    assert (item.outcome, item.run.origin) == ("answered", "wake")
    (_, told), (role, answer) = (await stage.entries())[-2:]
    assert told.endswith(f"\n\n{ASKED}")
    assert (role, answer) == ("assistant", "the build is green")
    assert (await stage.owner()).id == item.person_id
    assert await stage.faults() == []


async def test_several_events_wake_once(stage: Stage) -> None:
    session_id = await session_made(stage)
    for number in range(5):
        assert await woken(f"event {number}")
    await worked(stage, session_id)
    (item,) = await wakes()
    assert item.outcome == "answered"
    told = (await stage.entries())[-2][1]
    assert [f"event {number}" in told for number in range(5)] == [True] * 5


async def test_who_writes_meanwhile_is_told_as_well(stage: Stage) -> None:
    """One turn answers both; the message that stood for the event is merged into it."""
    session_id = await session_made(stage)
    await woken("It is done.")
    accepted = await stage.accept("[[echo:both]]")
    await worked(stage, session_id)
    item = await stage.item(accepted)
    (wake,) = await wakes()
    assert (wake.outcome, wake.run_id) == ("merged", item.run_id)
    assert item.run is not None
    assert (item.outcome, item.run.origin, item.run.reply) == ("answered", "ws", "both")
    assert "It is done." in (await stage.entries())[-2][1]
    assert await stage.faults() == []


async def test_a_busy_session_is_woken_afterwards(stage: Stage) -> None:
    """It does not steer or interrupt the turn that runs."""
    session_id = await session_made(stage)
    accepted = await stage.accept("[[tokens:5:60]]")
    stage.engines[0].submit(accepted.session_id)
    await stage.running(accepted)
    await woken()
    await worked(stage, session_id)
    (wake,) = await wakes()
    item = await stage.item(accepted)
    assert wake.run is not None
    assert (item.outcome, wake.outcome) == ("answered", "answered")
    assert wake.run_id != item.run_id
    assert wake.run.reply == "the build is green"
    assert await stage.faults() == []


async def test_a_parked_session_stays_parked(stage: Stage) -> None:
    session_id = await session_made(stage)
    await stage.accept("hello")
    turn = await run_db(turn_begin, session_id, "w9")
    assert turn is not None
    await run_db(_park, turn)
    await woken()
    await worked(stage, session_id)
    (wake,) = await wakes()
    assert (wake.outcome, wake.run_id) == ("", None)
    stop = {"stop_kind": "rpc", "stop_by": "ann"}
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(**stop))
    await worked(stage, session_id)
    await stage.until(lambda: _all_ended())
    assert [item.outcome for item in await wakes()] == ["answered"]
    assert await stage.faults() == []


def _park(turn: Turn) -> None:
    """Leaves the turn waiting for a decision that nobody makes."""
    Approval.objects.create(
        run=turn.run,
        session=turn.session,
        agent_slug="main",
        tool="exec",
        slug="abcd1234",
        expires_at=timezone.now() + timedelta(hours=1),
    )
    run_park(turn)


async def _all_ended() -> bool:
    return all(item.outcome for item in await wakes())


async def test_the_switch_holds_it_back(stage: Stage) -> None:
    session_id = await session_made(stage)
    await run_db(lambda: everything_stop(by="ann"))
    await woken()
    await worked(stage, session_id)
    assert [item.outcome for item in await wakes()] == [""]
    await run_db(lambda: everything_resume(by="ann"))
    await worked(stage, session_id)
    await stage.until(_all_ended)
    assert [item.outcome for item in await wakes()] == ["answered"]


async def test_nothing_left_to_tell(stage: Stage) -> None:
    """The event was withdrawn before its turn began: there is no turn."""
    session_id = await session_made(stage)
    await woken(context_key="job")
    withdraw = lambda: system_events_withdraw(session_key=KEY, context_key="job")  # noqa: E731
    assert await run_db(withdraw) == 1
    await worked(stage, session_id)
    (wake,) = await wakes()
    assert (wake.outcome, wake.detail, wake.run_id) == ("stopped", TOLD, None)
    assert await stage.faults() == []


async def test_a_wake_is_no_visit(stage: Stage) -> None:
    """Nobody was here: a session that has been idle since is still idle."""
    session_id = await session_made(stage)
    rows = Session.objects.filter(pk=session_id).values_list("last_interaction_at", "title")
    before = await run_db(rows.get)
    await woken()
    await worked(stage, session_id)
    assert await run_db(rows.get) == before


async def test_another_sink_may_take_it(stage: Stage) -> None:
    """The newest sink is asked first."""
    session_id = await session_made(stage)
    seen: list[Wake] = []

    def take(request: Wake) -> bool:
        seen.append(request)
        return len(seen) == 1

    WAKE_SINKS.register("test", take)
    try:
        await woken("taken")
        assert await wakes() == []
        await woken("left")
    finally:
        WAKE_SINKS.unregister("test")
    assert [request.text for request in seen] == ["taken", "left"]
    await worked(stage, session_id)
    assert len(await wakes()) == 1
