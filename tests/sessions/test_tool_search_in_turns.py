"""A tool that was found by search, in a whole turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import Prompt, Run, ToolCall
from tests.sessions.stage import Stage, text_of
from tests.tools.tool_search.catalogue import many_tools

ASK = '[[tool:tool_call {"id":"office_create_ticket","args":{"title":"a"}}]] [[final:ok]]'


@pytest.fixture(autouse=True)
def office() -> Iterator[list[str]]:
    """Twenty tools of a plugin."""
    with many_tools() as names:
        yield names


async def turn(stage: Stage, text: str, **tools: Any) -> list[ToolCall]:
    """The calls of one turn under these rules."""
    await run_db(lambda: config_apply(text=orjson.dumps({"tools": tools})))
    engine = await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.outcome == "answered"
    calls = ToolCall.objects.filter(run=item.run).order_by("id")
    return await run_db(lambda: list(calls))


async def test_it_works(stage: Stage, office: list[str]) -> None:
    """The row is that of the tool which ran; the model was shown only the search."""
    (call,) = await turn(stage, ASK, toolSearch=True)
    assert (call.name, call.arguments, call.state) == (
        "office_create_ticket",
        {"title": "a"},
        ToolCall.State.DONE,
    )
    assert text_of(call.result or {}) == "did a"
    prompt = await run_db(Prompt.objects.get)
    names = [tool["name"] for tool in prompt.tools]
    assert "tool_call" in names
    assert not set(office) & set(names)
    assert await stage.faults() == []


async def test_a_tool_that_the_rules_took_cannot_be_called(stage: Stage) -> None:
    (call,) = await turn(stage, ASK, toolSearch=True, deny=["office_create_*"])
    assert "There is no tool 'office_create_ticket'" in text_of(call.result or {})
    assert (call.result or {})["isError"]


async def test_going_round_in_circles_is_noticed(stage: Stage) -> None:
    """Calls by way of the search count as calls of the tool itself."""
    ask = ASK.split(" [[final")[0]
    calls = await turn(stage, ask * 11 + "[[final:ok]]", toolSearch=True)
    assert len(calls) == 11
    run = await run_db(Run.objects.get)
    assert run.warnings == ["The agent called office_create_ticket 10 times with the same result."]
