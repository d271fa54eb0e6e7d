"""Models that tools ask within a turn: their calls are calls of the run."""

from __future__ import annotations

import base64
import json
from typing import Any

import orjson
import pytest

from agents.config.services import config_apply
from agents.database import run_db
from channels_app.pages.requests import SentRequest, request_as_sent
from sessions.models import ModelCall, Run, ToolCall
from sessions.turns import attempt_policy
from tests.model_server.fixture import ModelServer
from tests.model_server.media import png
from tests.sessions.stage import Stage

PICTURE = f"data:image/png;base64,{base64.b64encode(png()).decode()}"


@pytest.fixture(autouse=True)
def _impatient(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCLAW_MODEL")
    monkeypatch.setattr(attempt_policy, "RETRY_WAITS", (0.001, 0.001))


async def _configure(server: ModelServer) -> None:
    """The model of the turn does not see; `eyes/a` does, and `eyes/b` stands in for it."""
    server.reset()
    provider = {"baseUrl": server.openai_url, "api": "openai-completions", "apiKey": "scripted"}
    seeing = [{"id": name, "input": ["text", "image"], "cost": {"input": 1}} for name in "ab"]
    chain = {"primary": "eyes/a", "fallbacks": ["eyes/b"]}
    document = {
        "agents": {"defaults": {"model": "blind/x", "imageModel": chain}},
        "models": {
            "providers": {
                "blind": {**provider, "models": [{"id": "x"}]},
                "eyes": {**provider, "models": seeing},
            }
        },
    }
    await run_db(lambda: config_apply(text=orjson.dumps(document).decode(), author="test"))


async def _run(stage: Stage, *prompts: str, more: str = "") -> Run:
    calls = "".join(
        f"[[tool:image {json.dumps({'image': PICTURE, 'prompt': prompt})}]]" for prompt in prompts
    )
    engine = await stage.engine()
    accepted = await stage.accept(f"{calls}{more}[[final:done]]")
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    await stage.idle(engine)
    assert await stage.faults() == []
    return run


def _calls(run: Run) -> list[tuple[Any, ...]]:
    columns = ("number", "purpose", "provider", "state")
    return list(ModelCall.objects.filter(run=run).order_by("number").values_list(*columns))


def _results(run: Run) -> list[str]:
    rows = ToolCall.objects.filter(run=run).order_by("position")
    return [(row.result or {})["content"][0]["text"] for row in rows]


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    await _configure(model_server)
    run = await _run(stage, "[[echo:a red field]]")
    assert run.outcome == Run.Outcome.FINAL
    assert await run_db(_calls, run) == [
        (1, "turn", "blind", "done"),
        (2, "tool", "eyes", "done"),
        (3, "turn", "blind", "done"),
    ]
    assert await run_db(_results, run) == ["a red field"]


async def test_its_page_shows_nothing_of_the_conversation(
    stage: Stage, model_server: ModelServer
) -> None:
    await _configure(model_server)
    run = await _run(stage, "[[echo:seen]]")

    def sent(purpose: str) -> SentRequest:
        calls = ModelCall.objects.select_related("run__transcript", "prompt")
        found = calls.filter(run=run, purpose=purpose).order_by("number").first()
        assert found is not None
        return request_as_sent(found)

    asked, own = await run_db(sent, "tool"), await run_db(sent, "turn")
    assert (asked.messages, asked.system, asked.tools) == ([], "", [])
    assert own.messages != []


async def test_two_tools_at_once(stage: Stage, model_server: ModelServer) -> None:
    await _configure(model_server)
    run = await _run(stage, "[[echo:one]]", "[[echo:two]]", more="[[parallel]]")
    assert [call[:2] for call in await run_db(_calls, run)] == [
        (1, "turn"),
        (2, "tool"),
        (3, "tool"),
        (4, "turn"),
    ]
    assert sorted(await run_db(_results, run)) == ["one", "two"]


async def test_a_failed_attempt_is_a_call_too(stage: Stage, model_server: ModelServer) -> None:
    await _configure(model_server)
    run = await _run(stage, "[[status:500:1]] [[echo:at last]]")
    found = await run_db(_calls, run)
    assert [call[1:] for call in found] == [
        ("turn", "blind", "done"),
        ("tool", "eyes", "failed"),
        ("tool", "eyes", "done"),
        ("turn", "blind", "done"),
    ]
    assert await run_db(_results, run) == ["at last"]


async def test_nobody_can_answer(stage: Stage, model_server: ModelServer) -> None:
    await _configure(model_server)
    run = await _run(stage, "[[status:400]] [[because:no such picture]]")
    assert run.outcome == Run.Outcome.FINAL
    (text,) = await run_db(_results, run)
    assert "no such picture" in text
    assert {call[3] for call in await run_db(_calls, run) if call[1] == "tool"} == {"failed"}


async def test_money_is_counted(stage: Stage, model_server: ModelServer) -> None:
    await _configure(model_server)
    run = await _run(stage, "[[usage:1000:0]] [[echo:seen]]")
    found = await run_db(lambda: ModelCall.objects.get(run=run, purpose="tool"))
    assert (found.input_tokens, found.cost) == (1000, 0.001)
    total = await run_db(lambda: Run.objects.get(pk=run.pk).input_tokens)
    assert total >= 1000
