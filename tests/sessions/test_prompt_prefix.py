"""What services cache of a request is byte-identical between two turns of a session."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import Run
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage

# The fields before the conversation, and the one that holds the conversation.
FORMATS = {
    "openai-completions": (("tools",), "messages"),
    "openai-responses": (("instructions", "tools"), "input"),
    "anthropic-messages": (("tools",), "messages"),
}


def document(api: str, url: str, **provider: Any) -> str:
    """A configuration whose only model speaks `api` at `url`."""
    lab = {"baseUrl": url, "api": api, "apiKey": "k1", **provider}
    agents = {"defaults": {"model": "lab/fake-1"}}
    return json.dumps({"models": {"providers": {"lab": lab}}, "agents": agents})


async def runs() -> list[Run]:
    """All runs, oldest first."""
    return await run_db(lambda: list(Run.objects.order_by("started_at")))


async def bodies(
    stage: Stage, server: ModelServer, monkeypatch: pytest.MonkeyPatch, text: str
) -> list[dict[str, Any]]:
    """The requests of two turns, of which the first calls a tool."""
    monkeypatch.delenv("OPENCLAW_MODEL", raising=False)
    await run_db(lambda: config_apply(text=text))
    server.reset()
    engine = await stage.engine()
    for message in ('[[tool:read {"path": "nothing.txt"}]]', "and now?"):
        accepted = await stage.accept(message)
        engine.submit(accepted.session_id)
        await stage.ended(accepted)
        await stage.idle(engine)
    assert {run.outcome for run in await runs()} == {Run.Outcome.FINAL}
    return [request["body"] for request in server.requests()]


@pytest.mark.parametrize("api", list(FORMATS))
async def test_it_works(
    api: str, stage: Stage, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields, history = FORMATS[api]
    text = document(api, model_server.openai_url)
    found = await bodies(stage, model_server, monkeypatch, text)
    assert len(found) >= 3
    assert len({_hash([body[field] for field in fields]) for body in found}) == 1
    for before, after in pairwise(found):
        size = len(before[history])
        assert len(after[history]) > size
        assert _hash(_plain(after[history][:size])) == _hash(_plain(before[history]))


async def test_marked_part_of_the_system_prompt_for_anthropic(
    stage: Stage, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = document("anthropic-messages", model_server.anthropic_url)
    found = await bodies(stage, model_server, monkeypatch, text)
    marked = [[block for block in body["system"] if "cache_control" in block] for body in found]
    assert all(len(blocks) == 1 for blocks in marked)
    assert len({_hash(blocks) for blocks in marked}) == 1


async def test_a_break_is_told_on_the_run(
    stage: Stage, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = document("openai-responses", model_server.openai_url, wrappers=["cache_trace"])
    await bodies(stage, model_server, monkeypatch, text)
    assert [run.warnings for run in await runs()] == [[], []]
    text = document("openai-responses", model_server.openai_url, wrappers=["cache_trace"])
    text = text.replace('"apiKey"', '"params": {"cacheRetention": "long"}, "apiKey"')
    await bodies(stage, model_server, monkeypatch, text)
    told = [line for run in await runs() for line in run.warnings]
    assert len(told) == 1
    assert "cacheRetention" in told[0]


def _plain(messages: list[dict[str, Any]]) -> list[Any]:
    """Messages without the marks that say how far a service shall cache; they wander."""
    return json.loads(json.dumps(messages), object_hook=_unmarked)  # type: ignore[no-any-return]


def _unmarked(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != "cache_control"}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
