"""An answer that nobody gives in time counts as no."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.config.services import config_apply
from agents.core.errors import Conflict
from agents.database import run_db
from sessions.approvals.attendance import seconds_to_decide
from sessions.approvals.services import approvals_expire
from sessions.ledger import ledger_check
from sessions.models import Approval, Run
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.stage import Stage


async def settings(**approvals: Any) -> None:
    """Applies the `approvals` section."""
    text = json.dumps({"approvals": approvals})
    await run_db(lambda: config_apply(text=text))


async def over(approval: Approval) -> None:
    """Puts the end of its time into the past."""
    past = timezone.now() - timedelta(seconds=1)
    await run_db(lambda: Approval.objects.filter(pk=approval.pk).update(expires_at=past))


async def test_it_works(asking: Asking) -> None:
    """The call is denied, the turn goes on by itself, and a late answer is refused."""
    accepted, (approval,) = await asking.parked(write("a.txt"))
    assert (approval.expires_at - approval.created_at).total_seconds() == 120
    await over(approval)
    with pytest.raises(Conflict, match="time .* is over, which counts as deny"):
        await asking.decide(approval, "allow-once")

    async def expired() -> bool:
        return (await asking.row(approval)).state == "expired"

    await asking.stage.until(expired)
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert "nobody answered within" in run.reply
    assert not (asking.workspace / "a.txt").exists()
    with pytest.raises(Conflict, match="Too late"):
        await asking.decide(approval, "allow-once")
    assert await asking.faults() == []


async def test_while_no_worker_runs(asking: Asking) -> None:
    """The next one that starts ends it at once."""
    accepted, (approval,) = await asking.parked(write("b.txt"))
    await asking.stage.engines.pop().drain()
    await over(approval)
    await asking.stage.engine("w2")

    async def expired() -> bool:
        return (await asking.row(approval)).state == "expired"

    await asking.stage.until(expired)
    assert (await asking.answered(accepted)).outcome == "answered"
    assert await asking.faults() == []


async def test_the_stated_times(stage: Stage) -> None:
    """120 s, 30 s at a terminal, or what the configuration says; a hook may ask for up to 600 s."""

    def seconds(origin: str, kind: str = "exec", stated: Any = None) -> float:
        return seconds_to_decide(origin=origin, kind=kind, stated_ms=stated)

    assert await run_db(lambda: (seconds("web"), seconds("cli"), seconds("acp"))) == (120, 30, 30)
    assert await run_db(lambda: seconds("web", "hook", 5_000)) == 5
    assert await run_db(lambda: seconds("web", "hook", 5_000_000)) == 600
    assert await run_db(lambda: seconds("web", "hook", "soon")) == 120
    await settings(timeoutSeconds=7, terminalTimeoutSeconds=3)
    assert await run_db(lambda: (seconds("web"), seconds("cli"))) == (7, 3)


async def test_only_what_is_due(asking: Asking) -> None:
    """Others go on waiting."""
    _, (approval,) = await asking.parked(write("c.txt"))
    assert await run_db(approvals_expire) == 0
    later = approval.expires_at + timedelta(seconds=1)
    assert await run_db(lambda: approvals_expire(now=later)) == 1
    assert await run_db(lambda: approvals_expire(now=later)) == 0


async def test_the_ledger_knows(asking: Asking) -> None:
    """A parked run that nobody brings back is a fault, and so is a question without a turn."""
    accepted, (approval,) = await asking.parked(write("d.txt"))
    await asking.stage.engines.pop().drain()
    assert await run_db(lambda: _kinds()) == set()
    rows = Approval.objects.filter(pk=approval.pk)
    await run_db(lambda: rows.update(state="deny"))
    await run_db(lambda: Run.objects.update(parked_at=timezone.now() - timedelta(minutes=5)))
    assert await run_db(lambda: _kinds()) == {"parked-for-nothing"}
    long_ago = timezone.now() - timedelta(minutes=5)
    await run_db(lambda: rows.update(state="pending", expires_at=long_ago))
    assert await run_db(lambda: _kinds()) == {"approval-overdue"}
    await asking.stage.engine("w2")

    async def ended() -> bool:
        return (await asking.row(approval)).state == "expired"

    await asking.stage.until(ended)
    assert (await asking.answered(accepted)).outcome == "answered"
    assert await asking.faults() == []


def _kinds() -> set[str]:
    return {fault.kind for fault in ledger_check().faults}
