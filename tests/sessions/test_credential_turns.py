"""When a session leaves the credential that it kept: a new conversation, a compaction."""

from __future__ import annotations

from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.database import run_db
from agents.models import AuthProfile
from sessions.models import ModelCall, Session
from sessions.services import session_reset
from tests.sessions.context_stage import history_write, long_talk, owner
from tests.sessions.stage import KEY, Stage
from tests.sessions.test_compact import configure


def _more_credentials() -> None:
    """Two beside that of the configuration."""
    for position, name in enumerate(("openai:one", "openai:two")):
        AuthProfile.objects.create(
            name=name, provider="openai", secret=f"scripted-{name}", position=position
        )
    cache_clear()


async def _answered_by(stage: Stage, engine: Any, text: str = "hello") -> str:
    """The credential of the newest call after a message."""
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"
    await stage.idle(engine)
    call = await run_db(lambda: ModelCall.objects.order_by("-pk").filter(state="done").first())
    assert call is not None
    return str(call.profile)


async def _start_over() -> None:
    await run_db(lambda: session_reset(principal=owner(), key=KEY))
    cache_clear()


async def test_it_works(stage: Stage) -> None:
    """Each conversation has the next stored one, and keeps it."""
    await configure(100_000)
    await run_db(_more_credentials)
    engine = await stage.engine()
    found = []
    for _ in range(3):
        found.append([await _answered_by(stage, engine), await _answered_by(stage, engine)])
        await _start_over()
    one, two = ["openai:one"] * 2, ["openai:two"] * 2
    assert found == [one, two, one]


@pytest.mark.parametrize(("pinned", "then"), [(False, "openai:two"), (True, "openai:one")])
async def test_after_a_compaction(stage: Stage, pinned: bool, then: str) -> None:
    """Nothing is left in the service's cache, so that the next one may as well answer."""
    await configure(100_000)
    await run_db(_more_credentials)
    await run_db(lambda: history_write(long_talk(30_000), key=KEY))
    columns = {"profile": "openai:one", "profile_pinned": pinned}
    await run_db(lambda: Session.objects.filter(key=KEY).update(**columns))
    engine = await stage.engine()
    assert await _answered_by(stage, engine, "/compact") == "openai:one"
    assert await _answered_by(stage, engine) == then
    assert await stage.faults() == []


async def test_a_pinned_one_stays(stage: Stage) -> None:
    """A person chose it, not a conversation."""
    await configure(100_000)
    await run_db(_more_credentials)
    engine = await stage.engine()
    await _answered_by(stage, engine)
    columns = {"profile": "openai:two", "profile_pinned": True}
    await run_db(lambda: Session.objects.filter(key=KEY).update(**columns))
    await _start_over()
    assert await _answered_by(stage, engine) == "openai:two"
