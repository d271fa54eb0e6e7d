"""A summary that hangs, overflows or says nothing: the session still takes the next message."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core.messages import Message
from agents.database import run_db
from sessions.models import Compaction, Entry, Run
from tests.model_server.fixture import ModelServer
from tests.sessions.context_stage import history_write, long_talk
from tests.sessions.stage import KEY, Stage
from tests.sessions.test_compact import configure


def spoiled(directive: str) -> dict[str, Any]:
    """Settings with which the scripted model does not give a summary; a second is its limit."""
    return {
        "timeoutSeconds": 1,
        "identifierPolicy": "custom",
        "identifierInstructions": directive,
    }


def almost_full() -> list[Message]:
    """A conversation that fills 16,000 tokens to more than 80 %."""
    return long_talk(17_800, turns=30)


async def turn(stage: Stage, engine: Any, text: str) -> Run:
    """One message to its end."""
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    return run


@pytest.mark.parametrize(
    ("directive", "reason"),
    [("[[hang]]", "timeout"), ("[[overflow]]", "summary_failed"), ("[[echo: ]]", "summary_failed")],
)
async def test_it_works(
    stage: Stage, model_server: ModelServer, directive: str, reason: str
) -> None:
    """The failure is noted, nothing is stored of it, two messages are answered."""
    await configure(16_000, compaction=spoiled(directive))
    await run_db(lambda: history_write(almost_full(), key=KEY))
    before = await run_db(Entry.objects.count)
    engine = await stage.engine()
    for text in ("[[echo:one]]", "[[echo:two]]"):
        run = await turn(stage, engine, text)
        assert (run.outcome, run.reply) == ("final", text[7:-2])
    rows = await run_db(lambda: list(Compaction.objects.order_by("id")))
    # For a while no other is tried by itself.
    assert [(row.outcome, row.reason, row.entry_id) for row in rows] == [("failed", reason, "")]
    assert await run_db(Entry.objects.count) == before + 4
    await stage.idle(engine)
    assert await stage.faults() == []


async def test_a_person_is_told(stage: Stage) -> None:
    """/compact answers with the reason, and the history is as it was."""
    await configure(100_000, compaction=spoiled("[[hang]]"))
    await run_db(lambda: history_write(almost_full(), key=KEY))
    engine = await stage.engine()
    run = await turn(stage, engine, "/compact")
    assert run.reply == "Not compacted: the summary took too long. Everything is as it was."
    assert not await run_db(Entry.objects.filter(type="compaction").exists)
    await stage.idle(engine)
    assert await stage.faults() == []


async def test_a_stop_ends_a_summary(stage: Stage) -> None:
    """What hangs can be stopped; the next message is answered."""
    await configure(100_000)
    await run_db(lambda: history_write(almost_full(), key=KEY))
    engine = await stage.engine()
    command = await stage.accept("/compact [[hang]]")
    engine.submit(command.session_id)
    run = await stage.running(command)

    async def begun() -> bool:
        records = await stage.live_records(command.session_id)
        return any(record["t"] == "compaction.start" for record in records)

    await stage.until(begun)
    await run_db(lambda: Run.objects.filter(pk=run.pk).update(stop_kind="stop", stop_by="Ada"))
    engine.control({"t": "stop", "session": command.session_id, "kind": "stop"})
    ended = await stage.ended(command)
    assert ended.outcome == "stopped"
    assert (await turn(stage, engine, "[[echo:on]]")).reply == "on"
    await stage.idle(engine)
    assert await stage.faults() == []
