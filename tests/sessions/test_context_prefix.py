"""Requests begin as the one before did, so that services find them in their cache."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import orjson

from agents.database import run_db
from agents.selectors import agent_snapshot
from tests.model_server.fixture import ModelServer
from tests.sessions.context_stage import history_write, long_talk
from tests.sessions.stage import KEY, Stage
from tests.sessions.test_compact import configure


def digest(body: dict[str, Any]) -> str:
    """Prompt and tool list of a request."""
    system = [m for m in body["messages"] if m["role"] in ("system", "developer")]
    return hashlib.sha256(orjson.dumps([system, body.get("tools")])).hexdigest()


def bodies(server: ModelServer) -> list[dict[str, Any]]:
    """The turns' requests, oldest first; summaries have no tools."""
    found = [request["body"] for request in server.requests()]
    return [body for body in found if body.get("tools")]


async def turn(stage: Stage, engine: Any, text: str) -> None:
    """One message and its answer."""
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    """Turn after turn, with tools, while a file of the workspace changes."""
    await configure(100_000)
    engine = await stage.engine()
    model_server.reset()
    await turn(stage, engine, "hello")
    workspace = (await run_db(lambda: agent_snapshot(slug="main"))).workspace
    (workspace / "HEARTBEAT.md").write_text("look at the mail")
    await turn(stage, engine, '[[tool:exec {"command":"echo hi"}]] [[final:ok]]')
    await turn(stage, engine, "bye")
    sent = bodies(model_server)
    assert len(sent) == 4
    assert len({digest(body) for body in sent}) == 1
    for before, after in pairwise(sent):
        assert after["messages"][: len(before["messages"])] == before["messages"]


async def test_a_compaction_changes_messages_only(stage: Stage, model_server: ModelServer) -> None:
    """Prompt and tools stay; after it the requests have a common beginning again."""
    await configure(32_000)
    await run_db(lambda: history_write(long_talk(60_000), key=KEY))
    engine = await stage.engine()
    model_server.reset()
    for text in ("one", "two", "three"):
        await turn(stage, engine, text)
    sent = bodies(model_server)
    assert len({digest(body) for body in sent}) == 1
    for before, after in pairwise(sent):
        assert after["messages"][: len(before["messages"])] == before["messages"]


async def test_pruning_keeps_the_beginning(stage: Stage, model_server: ModelServer) -> None:
    """What one rest has made smaller is as small in the next request."""
    pruning = {"mode": "cache-ttl", "ttl": "1s", "softTrimRatio": 0.0, "hardClearRatio": 0.0}
    await configure(100_000, contextPruning={**pruning, "minPrunableToolChars": 0})
    await run_db(lambda: history_write(long_talk(20_000, turns=20), key=KEY))
    engine = await stage.engine()
    model_server.reset()
    for text in ("one", "two"):
        await turn(stage, engine, text)
    first, second = bodies(model_server)
    assert "Old tool result content cleared" in str(first["messages"])
    assert second["messages"][: len(first["messages"])] == first["messages"]
