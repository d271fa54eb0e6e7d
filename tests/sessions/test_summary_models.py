"""Which models make a summary: the one that is configured, and those that stand in for it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from agents.config.services import config_apply
from agents.database import run_db
from sessions.context.rests import rests_forget
from sessions.models import ModelCall, Run
from sessions.turns import attempt_policy
from tests.model_server.fixture import ModelServer
from tests.sessions.context_stage import history_write, long_talk
from tests.sessions.stage import KEY, Stage
from tests.sessions.test_compact import compactions

# The scripted model reads this in the request for the summary, not in the turn's.
_TOO_LONG = {"identifierPolicy": "custom", "identifierInstructions": "[[overflow]]"}


@pytest.fixture(autouse=True)
def _impatient(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCLAW_MODEL")
    monkeypatch.setattr(attempt_policy, "RETRY_WAITS", (0.001, 0.001))


async def _configure(server: ModelServer, compaction: dict[str, Any]) -> None:
    """The model large/a, then small/b; large/c only makes summaries."""
    rests_forget()
    server.reset()
    models = [{"id": name, "contextWindow": 100_000, "maxTokens": 4_000} for name in "abc"]
    provider = {"baseUrl": server.openai_url, "api": "openai-completions", "apiKey": "scripted"}
    document = {
        "agents": {
            "defaults": {
                "model": {"primary": "large/a", "fallbacks": ["small/b"]},
                "models": {"large/c": {"alias": "brief"}},
                "compaction": compaction,
            }
        },
        "models": {
            "providers": {name: {**provider, "models": models} for name in ("large", "small")}
        },
    }
    await run_db(lambda: config_apply(text=orjson.dumps(document).decode(), author="test"))
    await run_db(lambda: history_write(long_talk(60_000), key=KEY))


async def _run(stage: Stage, text: str) -> Run:
    engine = await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    await stage.idle(engine)
    assert await stage.faults() == []
    return run


async def _calls(run: Run) -> list[tuple[str, ...]]:
    columns = ("purpose", "provider", "model", "error_kind", "action")
    rows = ModelCall.objects.filter(run=run).order_by("number").values_list(*columns)
    return await run_db(lambda: list(rows))


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    """compaction.model, by its alias, is really asked, with its own credential."""
    await _configure(model_server, {"model": "brief"})
    run = await _run(stage, "/compact")
    assert run.reply.startswith("Compacted ("), run.reply
    assert set(await _calls(run)) == {("compaction", "large", "c", "", "")}
    assert {request["body"]["model"] for request in model_server.requests()} == {"c"}


async def test_another_stands_in(stage: Stage, model_server: ModelServer) -> None:
    """Its service knows the model no more: the turn's own makes the summary."""
    await _configure(model_server, {"model": "brief"})
    run = await _run(stage, "/compact [[status:404:1]]")
    assert run.reply.startswith("Compacted ("), run.reply
    first, second, *_ = await _calls(run)
    assert first == ("compaction", "large", "c", "model_not_found", "fallback")
    assert second == ("compaction", "large", "a", "", "")


async def test_the_chain_makes_summaries_too(stage: Stage, model_server: ModelServer) -> None:
    """The turn's own model cannot: the next one of its chain does, from then on at once."""
    await _configure(model_server, {})
    run = await _run(stage, "/compact [[status:404:1]]")
    assert run.reply.startswith("Compacted ("), run.reply
    first, *others = await _calls(run)
    assert first == ("compaction", "large", "a", "model_not_found", "fallback")
    assert set(others) == {("compaction", "small", "b", "", "")}


async def test_each_row_says_what_followed(stage: Stage, model_server: ModelServer) -> None:
    """An overflow whose summary failed: each call has one row, and its own step."""
    await _configure(model_server, _TOO_LONG)
    run = await _run(stage, "[[overflow:1000]]")
    assert (run.outcome, run.error_kind) == ("error", "context_overflow")
    calls = await _calls(run)
    turns = [call[3:] for call in calls if call[0] == "turn"]
    summaries = {call[3:] for call in calls if call[0] == "compaction"}
    assert turns == [("context_overflow", "truncate"), ("context_overflow", "stop")]
    assert summaries == {("context_overflow", "stop")}
    assert [row.outcome for row in await run_db(compactions)][:1] == ["failed"]
