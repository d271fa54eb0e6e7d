"""allow-always stores what is allowed from now on, together with the decision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agents.database import run_db
from sessions.approvals.remember import ALLOWANCE_STORES
from sessions.approvals.services import decision_named
from sessions.models import Approval
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.stage import Stage
from tools.models import ExecAllowance


@pytest.fixture
def store() -> Iterator[list[tuple[str, str]]]:
    """Takes the place of a store for the questions of the tests."""
    kept: list[tuple[str, str]] = []

    def keep(approval: Approval, who: str) -> None:
        if approval.arguments["path"] == "broken":
            raise ValueError("the store is broken")
        kept.extend((allowed["pattern"], who) for allowed in approval.facts["allow"])

    ALLOWANCE_STORES.register("test", keep)
    yield kept
    ALLOWANCE_STORES.unregister("test")


async def test_it_works(asking: Asking, store: list[tuple[str, str]]) -> None:
    """Stored once, with the name of who decided; the call runs."""
    accepted, (approval,) = await asking.parked(write("a.txt") + "[[final:ok]]")
    decided = await asking.decide(approval, "always")
    assert store == [("a.txt", decided.decided_by)]
    assert (await asking.answered(accepted)).outcome == "answered"
    assert (asking.workspace / "a.txt").exists()


async def test_once_stores_nothing(asking: Asking, store: list[tuple[str, str]]) -> None:
    """Neither does a denial."""
    _, (approval,) = await asking.parked(write("b.txt"))
    await asking.decide(approval, "allow-once")
    assert store == []


async def test_a_store_that_fails(asking: Asking, store: list[tuple[str, str]]) -> None:
    """Then nothing is decided either."""
    _, (approval,) = await asking.parked(write("broken"))
    with pytest.raises(ValueError, match="broken"):
        await asking.decide(approval, "allow-always")
    assert (await asking.row(approval)).state == "pending"
    assert await run_db(Approval.objects.count) == 1


async def test_a_command(stage: Stage) -> None:
    """What is asked about an exec call goes to the list of allowed commands of its agent."""
    approval = Approval(
        slug="code",
        kind="exec",
        tool="exec",
        agent_slug="main",
        arguments={"command": "git status"},
        facts={"allow": [{"pattern": "/usr/bin/git", "argumentPattern": ""}]},
        decisions=["allow-once", "allow-always", "deny"],
        expires_at=timezone.now() + timedelta(minutes=5),
    )
    await run_db(approval.save)
    await Asking(stage, Path()).decide(approval, "allow-always")
    (row,) = await run_db(lambda: list(ExecAllowance.objects.all()))
    assert (row.agent_slug, row.pattern, row.command_text) == ("main", "/usr/bin/git", "git status")
    assert row.added_by


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("allow-once", "allow-once"),
        (" Allow-Always ", "allow-always"),
        ("DENY", "deny"),
        ("once", "allow-once"),
        ("no", "deny"),
    ],
)
def test_words_for_it(said: str, meant: str) -> None:
    """As people write them."""
    assert decision_named(said) == meant
