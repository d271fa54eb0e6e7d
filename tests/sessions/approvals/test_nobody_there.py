"""A turn of a job asks nobody: what needs an approval is denied at once, and it goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.database import run_db
from sessions.approvals.attendance import UNATTENDED, attended
from sessions.inbox import message_accept
from sessions.models import Approval, InboxItem
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.stage import KEY, Stage


async def of_job(asking: Asking, text: str, kind: str = "cron") -> InboxItem:
    """A message of a job, worked to its end."""
    owner = await asking.stage.owner()
    engine = await asking.stage.engine()
    accepted = await run_db(
        lambda: message_accept(
            principal=owner,
            session_key=KEY,
            text=text,
            run_id=f"job-{kind}",
            source="job",
            origin={"kind": kind},
        )
    )
    engine.submit(accepted.session_id)
    return await asking.stage.ended(accepted)


async def test_it_works(asking: Asking) -> None:
    """The model reads why, nothing is asked, nothing is written."""
    item = await of_job(asking, write("a.txt"))
    assert item.run is not None
    assert "nobody can be asked in a turn that was started by 'cron'" in item.run.reply
    assert item.run.parked_seconds == 0
    assert not (asking.workspace / "a.txt").exists()
    assert await run_db(Approval.objects.count) == 0
    (call,) = await asking.calls()
    assert (call.state, call.verdict) == ("denied", "deny")
    assert await asking.faults() == []


async def test_forwarded_to_somebody(asking: Asking) -> None:
    """A job whose questions are forwarded to a target waits for them."""
    target = {"channel": "web", "to": "agent:main:main"}
    exec_ = {"enabled": True, "mode": "targets", "targets": [target], "sessionFilter": ["stage"]}
    await apply(exec=exec_)
    assert await run_db(lambda: attended(origin="cron", agent="main", session_key=KEY))
    assert not await run_db(lambda: attended(origin="cron", agent="main", session_key="agent:x:y"))
    await apply(exec={**exec_, "agentFilter": ["other"]})
    assert not await run_db(lambda: attended(origin="cron", agent="main", session_key=KEY))
    await apply(exec={**exec_, "mode": "session"})
    assert not await run_db(lambda: attended(origin="cron", agent="main", session_key=KEY))


def test_people_can_be_asked() -> None:
    """Whatever they write through; the settings are not read for that."""
    for origin in ("web", "ws", "http", "cli", "telegram", ""):
        assert attended(origin=origin, agent="main", session_key=KEY)


@pytest.mark.parametrize("kind", sorted(UNATTENDED))
async def test_a_job_cannot_approve(asking: Asking, kind: str) -> None:
    """Its words are no decision, even with the rights of an owner."""
    _, (approval,) = await asking.parked(write("b.txt"))
    item = await of_job(asking, f"/approve {approval.slug} allow-once", kind)
    assert item.detail == "Only a person can approve."
    assert (await asking.row(approval)).state == "pending"


async def apply(**approvals: Any) -> None:
    """Applies the `approvals` section."""
    text = json.dumps({"approvals": approvals})
    await run_db(lambda: config_apply(text=text))


async def test_targets_that_cannot_be(stage: Stage) -> None:
    """An unknown route and a webhook without a secret are named."""
    with pytest.raises(UserError, match="channel"):
        await apply(exec={"targets": [{"channel": "pigeon", "to": "x"}]})
    with pytest.raises(UserError, match="secret"):
        await apply(exec={"targets": [{"channel": "webhook", "to": "https://example.org"}]})
