"""Whose message it is decides what it may do, and who may see it."""

from __future__ import annotations

from functools import partial

import pytest

from agents.core.errors import NotFound
from agents.core.principal import Principal
from agents.database import run_db
from sessions.inbox import Accepted
from sessions.models import Run
from sessions.run_selectors import run_find, run_status
from sessions.selectors import session_search, session_visible, sessions_list
from sessions.services import session_delete, session_patch, session_reset
from sessions.stops import run_stop
from tests.sessions.stage import KEY, Stage

SHARED = "agent:main:web:shared"


async def run_of(stage: Stage, accepted: Accepted) -> Run:
    """The run that answered a message."""
    run = (await stage.ended(accepted)).run
    assert run is not None
    return run


async def test_it_works(stage: Stage) -> None:
    """Messages of two persons that wait together are two turns with two people's rights."""
    bob, owner = await stage.member("Bob"), await stage.owner()
    call = '[[tool:exec {"command":"echo done"}]]'
    first = await stage.accept(call, key=SHARED, principal=bob)
    second = await stage.accept(call, key=SHARED, principal=owner)
    engine = await stage.engine()
    engine.submit(first.session_id)
    runs = [await run_of(stage, one) for one in (first, second)]
    assert [run.person_id for run in runs] == [bob.id, owner.id]
    results = [text for role, text in await stage.entries(SHARED) if role == "toolResult"]
    assert results[0].startswith("There is no tool 'exec'")
    assert results[1] == "done"


async def test_nobody_is_steered_by_another(stage: Stage) -> None:
    """A message of somebody else waits, even in steer mode."""
    bob = await stage.member("Bob")
    first = await stage.accept("[[delay:400]] [[echo:for Bob]]", key=SHARED, principal=bob)
    engine = await stage.engine()
    engine.submit(first.session_id)
    await stage.running(first)
    second = await stage.accept("[[echo:for the owner]]", key=SHARED, queue_mode="steer")
    engine.submit(first.session_id)
    assert (await run_of(stage, first)).reply == "for Bob"
    assert (await run_of(stage, second)).reply == "for the owner"
    assert (await stage.item(second)).outcome == "answered"


async def foreign(stage: Stage) -> tuple[Principal, Accepted]:
    """Somebody who is no owner, and a message of the owner."""
    accepted = await stage.accept("[[echo:the secret word]]")
    engine = await stage.engine()
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    return await stage.member("Bob"), accepted


@pytest.mark.parametrize(
    "act",
    [
        lambda who: session_visible(principal=who, key=KEY),
        lambda who: session_patch(principal=who, key=KEY, changes={"label": "mine"}),
        lambda who: session_reset(principal=who, key=KEY),
        lambda who: session_delete(principal=who, key=KEY),
        lambda who: run_stop(principal=who, session_key=KEY, run_id="any"),
    ],
)
async def test_a_session_of_somebody_else_is_not_found(stage: Stage, act: object) -> None:
    """The same answer as for one that does not exist."""
    bob, _ = await foreign(stage)
    with pytest.raises(NotFound):
        await run_db(act, bob)  # type: ignore[arg-type]


async def test_its_messages_are_not_taken(stage: Stage) -> None:
    """Nothing is stored in a session of somebody else, nor in a reserved one."""
    bob, _ = await foreign(stage)
    for key in (KEY, "agent:main:main", "main"):
        with pytest.raises(NotFound):
            await stage.accept("hello", key=key, principal=bob)
    assert len(await stage.entries()) == 2


async def test_nothing_of_it_is_told(stage: Stage) -> None:
    """Lists, searches, runs and run ids: as if there were none."""
    bob, accepted = await foreign(stage)
    run = await run_of(stage, accepted)
    assert await run_db(lambda: sessions_list(principal=bob)) == []
    assert await run_db(lambda: session_search(principal=bob, query="secret")) == []
    status = await run_db(lambda: run_status(principal=bob, run_id=accepted.run_id))
    assert status.state == "unknown"
    for run_id in (run.pk, accepted.run_id):
        with pytest.raises(NotFound):
            await run_db(partial(run_find, principal=bob, run_id=run_id))


async def test_run_ids_are_each_persons_own(stage: Stage) -> None:
    """Two people may choose the same one."""
    bob, _ = await foreign(stage)
    theirs = await stage.accept("[[echo:a]]", key=SHARED, principal=bob, run_id="same")
    mine = await stage.accept("[[echo:b]]", run_id="same")
    assert theirs.item_id != mine.item_id
    engine = await stage.engine("w2")
    for one in (theirs, mine):
        engine.submit(one.session_id)
    assert (await run_of(stage, theirs)).reply == "a"
    assert (await run_of(stage, mine)).reply == "b"


async def test_the_owner_sees_all(stage: Stage) -> None:
    """Also what others opened."""
    bob = await stage.member("Bob")
    await stage.accept("hello", key=SHARED, principal=bob)
    owner = await stage.owner()
    session = await run_db(lambda: session_visible(principal=owner, key=SHARED))
    assert session.owner_id == bob.id
