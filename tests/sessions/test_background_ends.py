"""A command ends in the background: its session wakes, and the agent reports what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from agents.database import run_db
from sessions.models import InboxItem, Person, Session
from sessions.receipts import principal_from_json
from sessions.system_events.background import background_ended, endings_tell
from sessions.system_events.selectors import system_events_waiting
from tests.sessions.stage import KEY, Stage
from tests.tools.background import again, ignore, until
from tools.background.control import input_send, job_kill
from tools.background.endings import endings_unannounced
from tools.background.job import Job
from tools.background.jobs import jobs_all
from tools.builtin.process import PROCESS
from tools.sinks import BackgroundEnded

FREE = {"security": "full", "ask": "off"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Any) -> Iterator[None]:
    """A home of its own; what still runs at the end is ended."""
    settings.OPENCLAW = replace(settings.OPENCLAW, home=tmp_path / "home")
    yield
    for job in jobs_all():
        job_kill(job)


async def allowed(**stated: Any) -> None:
    """Commands run without anybody being asked."""
    text = json.dumps({"tools": {"exec": {**FREE, **stated}}})
    await run_db(lambda: config_apply(text=text))


async def begun(stage: Stage, *commands: str, key: str = KEY) -> list[Job]:
    """Commands that a turn started in the background; they wait for a line of input."""
    engine = stage.engines[0] if stage.engines else await stage.engine()
    calls = [
        "[[tool:exec " + json.dumps({"command": f"read go; {line}", "background": True}) + "]]"
        for line in commands
    ]
    accepted = await stage.accept(" ".join([*calls, "[[final:started]]"]), key=key)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    await stage.idle(engine)
    assert item.run is not None
    assert item.run.reply == "started"
    jobs = [job for job in jobs_all() if job.spec.run == item.run.pk]
    assert len(jobs) == len(commands)
    return jobs


async def finished(*jobs: Job) -> None:
    """They have their line and have ended."""
    for job in jobs:
        await asyncio.to_thread(input_send, job, b"go\n")
    for job in jobs:
        assert await asyncio.to_thread(until, partial(_has_ended, job.name))


def _has_ended(name: str) -> bool:
    return not again(name).running


async def worked(stage: Stage) -> None:
    """What waits in the session is worked to its end."""
    session = await run_db(lambda: Session.objects.get(key=KEY))
    stage.engines[0].submit(session.pk)
    await stage.idle(stage.engines[0])


async def wakes() -> list[InboxItem]:
    items = InboxItem.objects.filter(origin__kind="wake").order_by("id").select_related("run")
    return await run_db(lambda: list(items))


async def waiting() -> list[str]:
    events = await run_db(lambda: system_events_waiting(session_key=KEY))
    return [event.text for event in events]


async def test_it_works(stage: Stage) -> None:
    await allowed()
    (job,) = await begun(stage, "echo '[[echo:it is built]]'; exit 3")
    await endings_tell()
    assert await waiting() == []
    await finished(job)
    for _ in range(3):
        await endings_tell()
    assert await waiting() == [f"Exec completed ({job.name}, code 3) :: [[echo:it is built]]"]
    await worked(stage)
    (item,) = await wakes()
    assert item.run is not None
    assert (item.outcome, item.run.origin, item.run.reply) == ("answered", "wake", "it is built")
    assert item.origin["channel"] == "ws"
    told = (await stage.entries())[-2][1]
    assert "System (untrusted): [" in told
    await endings_tell()
    assert len(await wakes()) == 1
    assert await stage.faults() == []


async def test_two_that_end_together_wake_once(stage: Stage) -> None:
    await allowed()
    jobs = await begun(stage, "echo one", "echo two; kill -9 $$")
    await finished(*jobs)
    await asyncio.gather(endings_tell(), endings_tell())
    await worked(stage)
    (item,) = await wakes()
    assert item.outcome == "answered"
    told = (await stage.entries())[-2][1]
    first, second = jobs
    assert f"Exec completed ({first.name}, code 0) :: one" in told
    assert f"Exec failed ({second.name}, signal 9) :: two" in told
    assert await stage.faults() == []


async def test_two_workers_tell_it_once(stage: Stage) -> None:
    """Whoever died between telling and noting it, the next one changes nothing."""
    await allowed()
    (job,) = await begun(stage, "echo x")
    ended = BackgroundEnded("exec:k:1", job.name, "main", "", KEY, job.spec.run, "Exec completed")
    for _ in range(2):
        await run_db(background_ended, ended)
    assert await waiting() == ["Exec completed"]
    await worked(stage)
    await run_db(background_ended, ended)
    assert await waiting() == []


@pytest.mark.parametrize("action", ["poll", "log", "list", "remove"])
async def test_what_the_agent_saw_itself_is_not_told(stage: Stage, action: str) -> None:
    """Whether it looked before the end was found, or after it was put into the queue."""
    await allowed()
    early, late = await begun(stage, "echo early", "echo late")
    await finished(early)
    await _process(stage, action, early)
    await endings_tell()
    assert await waiting() == []
    await finished(late)
    await endings_tell()
    assert len(await waiting()) == 1
    await _process(stage, action, late)
    assert await waiting() == []
    await worked(stage)
    assert [item.outcome for item in await wakes()] == ["stopped"]
    assert await stage.faults() == []


async def _process(stage: Stage, action: str, job: Job) -> None:
    owner = await stage.owner()
    context = ToolContext("main", KEY, Path("/"), owner)
    arguments = {"action": action} | ({} if action == "list" else {"sessionId": job.name})
    await PROCESS.execute("1", arguments, context, AbortSignal(), ignore)


async def test_what_was_killed_on_purpose_is_not_told(stage: Stage) -> None:
    await allowed()
    (job,) = await begun(stage, "echo never")
    await asyncio.to_thread(job_kill, job)
    await endings_tell()
    assert await waiting() == []
    assert endings_unannounced() == []


async def test_a_time_limit_is_told(stage: Stage) -> None:
    await allowed(timeoutSec=0.2)
    (job,) = await begun(stage, "echo never")
    assert await asyncio.to_thread(until, lambda: not again(job.name).running)
    await endings_tell()
    assert await waiting() == [f"Exec failed ({job.name}, stopped after 0.2 s)"]


@pytest.mark.parametrize(
    ("stated", "command", "told"),
    [
        ({}, "true", False),
        ({}, "false", True),
        ({"notifyOnExitEmptySuccess": True}, "true", True),
        ({"notifyOnExit": False}, "echo words; false", False),
    ],
)
async def test_settings(stage: Stage, stated: dict[str, bool], command: str, told: bool) -> None:
    await allowed(**stated)
    (job,) = await begun(stage, command)
    await finished(job)
    await endings_tell()
    assert len(await waiting()) == int(told)
    assert endings_unannounced() == []


async def test_who_never_comes_back_is_not_answered(stage: Stage) -> None:
    """A request over HTTP without a user has a conversation that ends with it."""
    await allowed()
    key = "agent:main:openai:01abc"
    (job,) = await begun(stage, "echo words", key=key)
    await finished(job)
    await endings_tell()
    events = await run_db(lambda: system_events_waiting(session_key=key))
    assert len(events) == 1
    assert await wakes() == []


async def test_a_deleted_session_hears_nothing(stage: Stage) -> None:
    """Nor does a later one of the same key."""
    await allowed()
    (job,) = await begun(stage, "echo words")
    await run_db(_forget)
    await stage.accept("hello")
    await finished(job)
    await endings_tell()
    assert await waiting() == []


def _forget() -> None:
    Session.objects.filter(key=KEY).update(key=f"{KEY}-gone")


async def test_rights_that_were_taken_away_stay_away(stage: Stage) -> None:
    await allowed()
    (job,) = await begun(stage, "echo words")
    owner = await stage.owner()
    role = Person.Role.MEMBER
    await run_db(lambda: Person.objects.filter(pk=owner.id).update(role=role))
    await finished(job)
    await endings_tell()
    (item,) = await wakes()
    rights: Principal = principal_from_json(item.principal)
    assert (rights.id, rights.is_owner) == (owner.id, False)
    assert not rights.has_scope("operator.admin")
