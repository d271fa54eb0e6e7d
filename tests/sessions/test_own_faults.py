"""When something inside the gateway breaks, the person gets an answer or an explanation."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import OperationalError

from agents.database import run_db
from sessions import engine as module
from sessions.models import Entry, Run, Transcript
from sessions.sweeper import sweep
from sessions.turns import listener, work
from sessions.turns.history import history_forget
from tests.sessions.stage import KEY, Stage

LOCKED = OperationalError("database is locked")


def breaks(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, error: Exception, times: int = 1
) -> None:
    """Lets a function raise the first `times` times it is called."""
    function, left = getattr(module, name), [error] * times

    def call(*args: Any, **fields: Any) -> Any:
        if left:
            raise left.pop()
        return function(*args, **fields)

    monkeypatch.setattr(module, name, call)


async def worked_off(stage: Stage, text: str, *, sweeps: int = 1) -> Run:
    """How a message ended, with so many further looks of the sweeper."""
    engine = await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    for _ in range(sweeps):
        await stage.idle(engine)
        await sweep(engine)
    run = (await stage.ended(accepted)).run
    assert run is not None
    await stage.idle(engine)
    assert await stage.faults() == []
    return run


async def test_it_works(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the middle of a turn: explained in its end, and in the transcript."""
    breaks(monkeypatch, listener, "batch_commit", ValueError("broken"))
    run = await worked_off(stage, '[[tool:exec {"command":"true"}]]')
    assert run.outcome == "error"
    assert "ValueError" in run.error_message
    assert [role for role, _ in await stage.entries()] == ["user", "assistant"]
    records = await stage.live_records(run.session_id)
    shown = [record["entry"]["role"] for record in records if record["t"] == "entry"]
    assert shown == ["user", "assistant"]


async def test_behind_a_tool_batch(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls that were started have results all the same."""
    breaks(monkeypatch, listener, "results_commit", ValueError("broken"))
    run = await worked_off(stage, '[[tool:exec {"command":"echo kept"}]]')
    assert run.outcome == "error"
    entries = await stage.entries()
    assert [role for role, _ in entries] == ["user", "assistant", "toolResult", "assistant"]
    assert entries[2][1] == "kept"


@pytest.mark.parametrize("name", ["batch_commit", "tool_result_store", "results_commit"])
async def test_a_database_that_was_away(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The turn is resumed from what was stored, and the person notices nothing."""
    breaks(monkeypatch, listener, name, LOCKED)
    run = await worked_off(stage, '[[tool:exec {"command":"echo x"}]] [[final:there]]')
    assert (run.outcome, run.reply, run.resumptions) == ("final", "there", 1)


async def test_at_the_very_end(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer could not be stored: the model is asked again."""
    breaks(monkeypatch, work, "turn_finish", LOCKED)
    run = await worked_off(stage, "[[echo:there]]")
    assert (run.outcome, run.reply, run.resumptions) == ("final", "there", 1)


async def test_at_the_very_beginning(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was stored yet: it is simply begun again."""
    breaks(monkeypatch, module, "turn_begin", LOCKED, times=2)
    run = await worked_off(stage, "[[echo:there]]", sweeps=2)
    assert (run.outcome, run.reply, run.resumptions) == ("final", "there", 0)


async def test_a_transcript_that_cannot_be_read(stage: Stage) -> None:
    """The message does not wait for ever: after three tries it is explained."""
    await worked_off(stage, "[[echo:fine]]", sweeps=0)
    transcript = await run_db(lambda: Transcript.objects.get(session__key=KEY))
    bad = {"role": "nobody", "content": 7}
    rows = Entry.objects.filter(transcript=transcript, seq=1)
    await run_db(lambda: rows.update(body=bad))
    history_forget(transcript_id=transcript.pk)
    run = await worked_off(stage, "[[echo:never]]", sweeps=3)
    assert run.outcome == "error"
    assert run.error_message == module.BROKEN


async def test_a_broken_attachment_folder(stage: Stage) -> None:
    """What is attached cannot be put into the workspace: said to the model, not a dead end."""
    engine = await stage.engine()
    probe = await stage.accept("hello")
    engine.submit(probe.session_id)
    await stage.ended(probe)
    run = (await stage.item(probe)).run
    assert run is not None
    inbox = Path(run.agent["workspace"]) / "inbox"
    inbox.write_text("a file where the folder should be")
    try:
        data = "AAECAwQFBgcICQ=="
        accepted = await stage.accept(
            "look", attachments=[{"content": data, "fileName": "a.bin", "mimeType": "a/b"}]
        )
        engine.submit(accepted.session_id)
        item = await stage.ended(accepted)
    finally:
        inbox.unlink()
    assert item.outcome == "answered"
    assert "could not be" in (await stage.entries())[2][1]
