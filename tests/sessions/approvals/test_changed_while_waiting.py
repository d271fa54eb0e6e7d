"""What was changed while a turn waited holds when it goes on."""

from __future__ import annotations

import json
from functools import partial

import pytest
from django.contrib.auth import get_user_model

from agents.config.cache import change_announce
from agents.config.services import config_apply
from agents.database import run_db
from agents.models import Agent
from sessions.approvals.selectors import approvals_pending
from sessions.models import Person
from sessions.services import session_reset
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.stage import KEY


async def test_it_works(asking: Asking) -> None:
    """A tool that was taken away is not used, whatever was answered."""
    accepted, (approval,) = await asking.parked(write("a.txt"))
    await run_db(partial(config_apply, text=json.dumps({"tools": {"deny": ["write"]}})))
    await asking.decide(approval, "allow-once")
    await asking.answered(accepted)
    assert not (asking.workspace / "a.txt").exists()
    assert await asking.faults() == []


async def test_an_agent_that_was_switched_off(asking: Asking) -> None:
    accepted, (approval,) = await asking.parked(write("b.txt"))
    await run_db(lambda: Agent.objects.update_or_create(slug="main", defaults={"enabled": False}))
    await run_db(change_announce)
    await asking.decide(approval, "allow-once")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert (run.outcome, (asking.workspace / "b.txt").exists()) == ("error", False)
    assert await asking.faults() == []


@pytest.mark.parametrize("loss", ["demoted", "locked out"])
async def test_a_person_who_lost_rights(asking: Asking, loss: str) -> None:
    """Another owner says yes, but who asked may not run commands any more."""
    accepted, (approval,) = await asking.parked('[[tool:exec {"command":"touch c.txt"}]]')
    owner = await asking.stage.owner()

    def lose() -> None:
        person = Person.objects.get(pk=owner.id)
        if loss == "demoted":
            Person.objects.filter(pk=owner.id).update(role=Person.Role.MEMBER)
        else:
            user = get_user_model().objects.create(username="gone", is_active=False)
            Person.objects.filter(pk=person.pk).update(user=user)

    await run_db(lose)
    await asking.decide(approval, "allow-once", principal=owner)
    await asking.answered(accepted)
    (call,) = await asking.calls()
    assert call.state == "denied"
    assert not (asking.workspace / "c.txt").exists()


async def test_a_new_conversation(asking: Asking) -> None:
    accepted, (approval,) = await asking.parked(write("d.txt"))
    owner = await asking.stage.owner()
    await run_db(lambda: session_reset(principal=owner, key=KEY))
    assert (await asking.row(approval)).state == "withdrawn"
    await asking.answered(accepted)
    assert not (asking.workspace / "d.txt").exists()
    assert await asking.faults() == []


async def test_fifty_that_wait(asking: Asking) -> None:
    owner = await asking.stage.owner()
    accepted = []
    for number in range(50):
        key = f"agent:main:web:{owner.id}:{number}"
        one, _ = await asking.parked(write(f"n{number}.txt"), key=key)
        accepted.append(one)
    pending = await run_db(lambda: approvals_pending(principal=owner))
    assert len(pending) == len({approval.slug for approval in pending}) == 50
    for approval in pending:
        await asking.decide(approval, "allow-once")
    for one in accepted:
        await asking.answered(one)
    assert len(list(asking.workspace.glob("n*.txt"))) == 50
    assert await asking.faults() == []
