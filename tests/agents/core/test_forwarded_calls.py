"""Calls that stand for calls of another tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agents.core.events import ToolBatchJudged, ToolExecutionEnd, ToolExecutionStart
from agents.core.function_tool import FunctionTool
from agents.core.messages import ToolCall
from agents.core.testing import ScriptedAnswer, asks_for
from agents.core.tools import Allow, Deny, Park, ToolContext, Verdict
from tests.agents.core.harness import Stage, call, echo

PARAMETERS = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "args": {"type": "object"}},
    "required": ["id"],
    "additionalProperties": False,
}


async def _nothing(**_arguments: Any) -> str:
    raise AssertionError("what forwards calls never runs itself")


class Forwarding(FunctionTool):
    """Calls the tool that its argument names."""

    def forwarded(self, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        return arguments["id"], arguments.get("args", {})


FORWARDING = Forwarding("any", "Calls another tool.", _nothing, PARAMETERS)


class Watching:
    """A gate that keeps what it was asked about."""

    def __init__(self, verdict: Verdict | None = None) -> None:
        self.asked: list[ToolCall] = []
        self._verdict = verdict or Allow()

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        self.asked += calls
        return [self._verdict for _call in calls]


def stage(asked: ToolCall, gate: Watching | None = None) -> Stage:
    settings = {"gate": gate or Watching()}
    answers: list[ScriptedAnswer] = [asks_for(asked), "Done."]
    return Stage(answers, tools=[FORWARDING, echo()], settings=settings)


def via(id: str, args: Any = None) -> ToolCall:
    arguments = {"id": id} if args is None else {"id": id, "args": args}
    return ToolCall("1", "any", arguments)


async def test_it_works() -> None:
    gate = Watching()
    run = stage(via("echo", {"text": "hello"}), gate)
    await run.run()
    assert run.result_texts == ["hello"]
    assert [(asked.name, dict(asked.arguments)) for asked in gate.asked] == [
        ("echo", {"text": "hello"})
    ]


async def test_events_and_results_have_the_name_of_the_tool_that_ran() -> None:
    run = stage(via("echo", {"text": "hello"}))
    await run.run()
    judged = [event.calls[0].name for event in run.events if isinstance(event, ToolBatchJudged)]
    ran = [
        event.call.name
        for event in run.events
        if isinstance(event, ToolExecutionStart | ToolExecutionEnd)
    ]
    assert (judged, ran) == (["echo"], ["echo", "echo"])
    assert run.results[0].tool_name == "echo"


async def test_the_model_sees_the_result_under_the_name_that_it_called() -> None:
    run = stage(via("echo", {"text": "hello"}))
    await run.run()
    asked, answered = run.model.requests[-1].messages[-2:]
    assert asked.tool_calls[0].name == answered.tool_name == "any"  # type: ignore[union-attr]


async def test_a_denial_holds() -> None:
    run = stage(via("echo", {"text": "hello"}), Watching(Deny("not today")))
    await run.run()
    assert run.result_texts == ["not today"]
    assert run.results[0].is_error


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (via("nothing"), "There is no tool 'nothing' to be called in this turn."),
        (via("any", {"id": "echo"}), "There is no tool 'any' to be called in this turn."),
        (via("echo"), "text"),
        (via("echo", {"text": []}), "text"),
        (ToolCall("1", "any", {"args": {}}), "id"),
        (via("echo", "no object"), "args"),
    ],
)
async def test_what_cannot_be_forwarded(asked: ToolCall, words: str) -> None:
    gate = Watching()
    run = stage(asked, gate)
    await run.run()
    if run.results[0].is_error:
        assert words in run.result_texts[0]
        assert gate.asked == []
    else:
        assert run.result_texts == ["1"]


async def test_calls_of_one_answer_keep_their_order() -> None:
    calls = [via("echo", {"text": "one"}), call("2"), ToolCall("3", "any", {"id": "gone"})]
    run = Stage([asks_for(*calls), "Done."], tools=[FORWARDING, echo()])
    await run.run()
    assert run.result_texts[:2] == ["one", "2"]
    assert run.results[2].is_error


async def test_a_decision_is_about_the_tool_that_is_meant() -> None:
    """Parked, and forwarded again when the turn goes on."""
    asked = via("echo", {"text": "hello"})
    parked = Stage(
        [asks_for(asked)], [FORWARDING, echo()], settings={"gate": Watching(Park("approval-1"))}
    )
    assert (await parked.run()).reason == "parked"
    judged = next(event for event in parked.events if isinstance(event, ToolBatchJudged))
    assert judged.calls[0].name == "echo"
    gate = Watching()
    resumed = Stage(
        ["Done."], [FORWARDING, echo()], parked.history, prompts=(), settings={"gate": gate}
    )
    await resumed.run()
    assert [call.name for call in gate.asked] == ["echo"]
    assert resumed.result_texts == ["hello"]


async def test_a_tool_that_went_meanwhile_is_not_called() -> None:
    parked = Stage(
        [asks_for(via("echo", {"text": "x"}))],
        [FORWARDING, echo()],
        settings={"gate": Watching(Park("approval-1"))},
    )
    await parked.run()
    resumed = Stage(["Done."], [FORWARDING], parked.history, prompts=())
    await resumed.run()
    assert resumed.result_texts == ["There is no tool 'echo' to be called in this turn."]
