"""Which context engine is used, and what happens when it cannot be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.context.engine import (
    CONTEXT_ENGINES,
    EngineInfo,
    EngineSession,
    LegacyEngine,
    context_engine,
    engines_forget,
)
from agents.core.messages import UserMessage


class Other(LegacyEngine):
    """An engine of a plugin."""

    info = EngineInfo("other", "Another engine")


def broken() -> LegacyEngine:
    """A plugin that does not start."""
    raise RuntimeError("no licence")


CONTEXT_ENGINES.register("test-other", Other)
CONTEXT_ENGINES.register("test-broken", broken)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Each test makes its engines anew."""
    engines_forget()
    yield
    engines_forget()


def test_it_works() -> None:
    """Without a choice the built-in one; it is made once."""
    found = context_engine({})
    assert (found.engine.info.id, found.warning) == ("legacy", "")
    assert context_engine({"contextEngine": "legacy"}).engine is found.engine


def test_a_chosen_one() -> None:
    """By the name it registered."""
    found = context_engine({"contextEngine": "test-other"})
    assert (found.engine.info.name, found.warning) == ("Another engine", "")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing", "it is not registered"), ("test-broken", "no licence")],
)
def test_one_that_cannot_be_used(name: str, reason: str) -> None:
    """The built-in one stands in, and the warning says why."""
    found = context_engine({"contextEngine": name})
    assert found.engine.info.id == "legacy"
    assert name in found.warning
    assert reason in found.warning


async def test_the_built_in_one_changes_nothing() -> None:
    """Messages pass, compaction is left to the turn."""
    engine, session = LegacyEngine(), EngineSession("t", "agent:main:main")
    messages = [UserMessage("hi")]
    await engine.bootstrap(session)
    await engine.ingest_batch(session, messages)
    assembled = await engine.assemble(session, messages, token_budget=9, model="m", tools=())
    assert assembled.messages is messages
    done = await engine.compact(
        session, messages, token_budget=9, current_tokens=10, instructions=""
    )
    assert not done.compacted
    undo = await engine.prepare_subagent_spawn(session, EngineSession("c", "agent:main:child"))
    undo()
    await engine.on_subagent_ended(session, "completed")
    await engine.after_turn(session, messages)
    await engine.maintain(session)
    await engine.dispose()
