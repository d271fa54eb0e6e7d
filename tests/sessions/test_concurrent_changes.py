"""Everything that may change a session, at once, again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agents.core.principal import Principal
from agents.database import run_db
from sessions.models import InboxItem, Run, Session, Transcript
from sessions.services import session_patch, session_reset
from sessions.stops import run_stop
from sessions.turns.begin import turn_begin
from sessions.turns.finish import Ending, turn_finish
from sessions.turns.turn import LeaseLostError
from tests.sessions.stage import KEY, Stage

ROUNDS = 12


def turn(session_id: str) -> None:
    """A whole turn in one go, by a worker that may lose it in the middle."""
    taken = turn_begin(session_id, "w1")
    if taken is None:
        return
    try:
        turn_finish(taken, Ending(Run.Outcome.ERROR, explanation="only a test"))
    except LeaseLostError:
        return


def actions(owner: Principal, session_id: str) -> list[Callable[[], Any]]:
    """What people and workers do."""
    return [
        lambda: turn(session_id),
        lambda: run_stop(principal=owner, session_key=KEY),
        lambda: session_reset(principal=owner, key=KEY),
        lambda: turn(session_id),
        lambda: session_patch(principal=owner, key=KEY, changes={"label": "x"}),
    ]


@pytest.mark.parametrize("mode", ["collect", "interrupt"])
async def test_it_works(stage: Stage, mode: str) -> None:
    """No deadlock, no half change: in the end all accounts balance."""
    owner = await stage.owner()
    first = await stage.accept("first", principal=owner)
    session_id = first.session_id
    for number in range(ROUNDS):
        accepting = (
            stage.accept(f"m{number}-{n}", principal=owner, queue_mode=mode) for n in range(3)
        )
        changing = (run_db(act) for act in actions(owner, session_id))
        await asyncio.gather(*accepting, *changing)
    while await run_db(lambda: InboxItem.objects.filter(outcome="").exists()):
        await run_db(turn, session_id)
    assert await stage.faults() == []
    current = Transcript.objects.filter(session_id=session_id, ended_at=None)
    assert await run_db(current.count) == 1
    session = await run_db(lambda: Session.objects.get(pk=session_id))
    assert session.current_id == (await run_db(current.get)).pk


async def test_each_message_ends_once(stage: Stage) -> None:
    """A stop and a turn reach for the same waiting message: one of them gets it."""
    owner = await stage.owner()
    for _ in range(ROUNDS):
        accepted = await stage.accept("mine", principal=owner)
        stopping = run_db(lambda: run_stop(principal=owner, session_key=KEY))
        _, reached = await asyncio.gather(run_db(turn, accepted.session_id), stopping)
        item = await stage.item(accepted)
        assert item.outcome in ("explained", "stopped")
        assert (item.outcome == "stopped") <= (accepted.run_id in reached)
        if item.run is None:
            assert reached == [accepted.run_id]
    assert await stage.faults() == []
