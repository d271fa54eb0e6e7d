"""/elevated: a level that a session keeps, for those whom both gates let pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.database import run_db
from sessions.elevated import elevated_level, elevated_own
from sessions.models import Session
from sessions.services import session_patch
from tests.sessions.stage import KEY, Stage


async def configure(sandbox: str = "off", **elevated: Any) -> None:
    """A configuration with these gates."""
    document = {
        "tools": {"elevated": elevated},
        "agents": {"defaults": {"sandbox": {"mode": sandbox}}},
    }
    await run_db(lambda: config_apply(text=json.dumps(document)))


async def said(stage: Stage, text: str) -> str:
    """What a command answers."""
    return (await stage.accept(text)).reply


async def own() -> str:
    """What the session keeps."""
    return elevated_own(await run_db(lambda: Session.objects.get(key=KEY)))


async def test_it_works(stage: Stage) -> None:
    await configure(allowFrom={"ws": ["*"]})
    assert "Elevated commands: on." in await said(stage, "/elevated")
    assert "now full" in await said(stage, "/elevated full")
    assert await own() == "full"
    assert "now off" in await said(stage, "/elev off")
    assert "now on" in await said(stage, "/elevated default")
    assert await own() == ""


async def test_who_may_not_is_told_which_keys_say_so(stage: Stage) -> None:
    answer = await said(stage, "/elevated full")
    assert "tools.elevated.allowFrom.ws" in answer
    assert await own() == ""
    await configure(enabled=False, allowFrom={"ws": ["*"]})
    assert "tools.elevated.enabled" in await said(stage, "/elevated on")
    assert "now off" in await said(stage, "/elevated off")


async def test_unknown_levels(stage: Stage) -> None:
    answer = await said(stage, "/elevated up")
    assert "no level up" in answer
    assert "off, on, ask, full, default" in answer


async def test_over_the_socket(stage: Stage) -> None:
    await stage.accept("/status")
    owner = await stage.owner()
    patch = {"principal": owner, "key": KEY}
    session = await run_db(
        lambda: session_patch(**patch, changes={"elevatedLevel": "ask"})  # type: ignore[arg-type]
    )
    assert elevated_own(session) == "ask"
    with pytest.raises(UserError, match="elevatedLevel high is unknown"):
        await run_db(
            lambda: session_patch(**patch, changes={"elevatedLevel": "high"})  # type: ignore[arg-type]
        )


async def test_a_session_without_a_sandbox_is_told(stage: Stage) -> None:
    await configure(allowFrom={"ws": ["*"]})
    assert "has no sandbox" in await said(stage, "/elevated on")
    await configure("all", allowFrom={"ws": ["*"]})
    assert "has no sandbox" not in await said(stage, "/elevated on")


async def test_the_agents_default(stage: Stage) -> None:
    document = {"agents": {"defaults": {"elevatedDefault": "off"}}}
    await run_db(lambda: config_apply(text=json.dumps(document)))
    await stage.accept("/status")
    session = await run_db(lambda: Session.objects.get(key=KEY))
    assert await run_db(elevated_level, session) == "off"
