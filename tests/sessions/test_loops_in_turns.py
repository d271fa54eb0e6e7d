"""An agent that goes round in circles, from its first call to the end of its turn."""

from __future__ import annotations

import orjson

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import Entry, InboxItem, Run, ToolCall
from tests.sessions.stage import Stage

SAME = ("exec", '{"command":"echo same"}')


def calls(number: int, name: str = SAME[0], arguments: str = SAME[1]) -> str:
    """A message that makes the scripted model call a tool again and again."""
    return f"[[tool:{name} {arguments}]]" * number


async def turn(stage: Stage, text: str) -> InboxItem:
    """One message from its arrival to its end."""
    engine = stage.engines[0] if stage.engines else await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    return await stage.ended(accepted)


async def states(run: Run) -> list[str]:
    """How each tool call of a run ended."""
    rows = ToolCall.objects.filter(run=run).order_by("id")
    return await run_db(lambda: list(rows.values_list("state", flat=True)))


async def test_it_works(stage: Stage) -> None:
    """The tenth gets a hint, the twentieth is not run, the thirtieth ends the turn."""
    item = await turn(stage, calls(40))
    run = item.run
    assert run is not None
    assert await states(run) == ["done"] * 19 + ["denied"] * 11
    rows = ToolCall.objects.filter(run=run).order_by("id")
    results = await run_db(lambda: [orjson.dumps(row.result).decode() for row in rows])
    assert ["Loop check: this is call 10 of exec" in text for text in results[:19]] == (
        [False] * 9 + [True] + [False] * 9
    )
    refused = await run_db(lambda: [row.details for row in rows][19])
    assert (refused["deniedReason"], refused["count"]) == ("tool-loop", 20)
    assert (item.outcome, run.outcome, run.error_kind) == ("explained", "error", "tool_loop")
    assert run.error_message == (
        "The turn was ended because it went round in circles. "
        "The agent called exec 30 times with the same result."
    )
    assert run.warnings == ["The agent called exec 10 times with the same result."]
    last = Entry.objects.filter(run_id=run.pk).order_by("-seq")
    entry = await run_db(last.first)
    assert entry is not None
    assert entry.body["errorMessage"] == run.error_message
    assert await stage.faults() == []
    assert (await turn(stage, "[[echo:and on it goes]]")).outcome == "answered"


async def test_counted_for_each_run(stage: Stage) -> None:
    """The next message begins at nothing."""
    for _turn in range(3):
        item = await turn(stage, calls(9) + "[[final:done]]")
        assert item.outcome == "answered"
        assert item.run is not None
        assert item.run.warnings == []


async def test_unknown_tools(stage: Stage) -> None:
    """Ten calls of tools that do not exist end the turn."""
    item = await turn(stage, calls(20, "nonsense", "{}"))
    assert item.run is not None
    assert item.run.error_kind == "tool_loop"
    assert "do not exist 10 times" in item.run.error_message


async def test_an_agents_own_numbers(stage: Stage) -> None:
    """They hold over those of all agents, which hold over ours."""
    text = """
    tools: {loopDetection: {warningThreshold: 2, criticalThreshold: 3}}
    agents: {list: [{id: main, tools: {loopDetection: {globalCircuitBreakerThreshold: 5}}}]}
    """
    assert (await run_db(config_apply, text=text)).warnings == ()
    item = await turn(stage, calls(9))
    assert item.run is not None
    assert await states(item.run) == ["done"] * 2 + ["denied"] * 3


async def test_switched_off(stage: Stage) -> None:
    """An agent without detection may do as it likes."""
    text = "agents: {list: [{id: main, tools: {loopDetection: {enabled: false}}}]}"
    await run_db(config_apply, text=text)
    item = await turn(stage, calls(32) + "[[final:through]]")
    assert item.outcome == "answered"
    assert item.run is not None
    assert set(await states(item.run)) == {"done"}
