"""Tools of one answer run together; ends come as they finish, results in source order."""

from __future__ import annotations

import asyncio

import pytest

from agents.core.events import LoopEvent, ToolExecutionEnd, ToolExecutionStart
from agents.core.function_tool import FunctionTool
from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo, function_tool


class Relay:
    """Tools that end in the reverse order of their calls: each waits for the one behind it."""

    def __init__(self, order: str) -> None:
        self.order = order
        self.done = {name: asyncio.Event() for name in order}

    def tool(self) -> FunctionTool:
        return function_tool(self.echo, name="echo")

    async def echo(self, text: str) -> str:
        index = self.order.index(text)
        if index + 1 < len(self.order):
            await self.done[self.order[index + 1]].wait()
        self.done[text].set()
        return text


async def test_it_works() -> None:
    stage = Stage([asks_for(call("a"), call("b"), call("c")), "ok"], [Relay("abc").tool()])

    await stage.run()

    starts = [event.call.id for event in stage.events if isinstance(event, ToolExecutionStart)]
    ends = [event.call.id for event in stage.events if isinstance(event, ToolExecutionEnd)]
    assert starts == ["a", "b", "c"]
    assert ends == ["c", "b", "a"]
    assert [result.tool_call_id for result in stage.results] == ["a", "b", "c"]


async def test_result_messages_come_after_all_ends() -> None:
    stage = Stage([asks_for(call("a"), call("b")), "ok"], [Relay("ab").tool()])

    await stage.run()

    start = stage.trace.index("ToolBatchJudged a b")
    assert stage.trace[start + 1 : start + 10] == [
        "ToolExecutionStart a",
        "ToolExecutionStart b",
        "ToolExecutionEnd b",
        "ToolExecutionEnd a",
        *["MessageStart toolResult", "MessageEnd toolResult"] * 2,
        "TurnEnd",
    ]


async def test_there_is_no_cap_on_calls() -> None:
    calls = [call(f"c{number}") for number in range(200)]
    stage = Stage([asks_for(*calls), "ok"], [echo()])

    await stage.run()

    assert stage.result_texts == [asked.id for asked in calls]


async def test_a_failing_tool_does_not_disturb_the_others() -> None:
    async def picky(text: str) -> str:
        if text == "b":
            raise ValueError("no b")
        return text

    calls = [call(name, "picky", text=name) for name in "abc"]
    stage = Stage([asks_for(*calls), "ok"], [function_tool(picky)])

    await stage.run()

    assert stage.result_texts == ["a", "ValueError: no b", "c"]
    assert [result.is_error for result in stage.results] == [False, True, False]


async def test_a_listener_that_raises_cancels_the_running_tools() -> None:
    cancelled: list[str] = []

    async def wait(text: str) -> str:
        if text == "a":
            return text
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(text)
            raise
        return text

    def refuse(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionEnd):
            raise PermissionError("fenced off")

    calls = [call(name, "wait", text=name) for name in "abc"]
    stage = Stage([asks_for(*calls)], [function_tool(wait)], on_event=refuse)

    with pytest.raises(PermissionError, match="fenced off"):
        await stage.run()

    assert sorted(cancelled) == ["b", "c"]
    assert stage.results == []


async def test_the_listener_is_never_called_twice_at_once() -> None:
    inside = 0

    async def emit(event: LoopEvent) -> None:
        nonlocal inside
        inside += 1
        assert inside == 1
        await asyncio.sleep(0)
        inside -= 1

    stage = Stage([asks_for(*[call(f"c{number}") for number in range(5)]), "ok"], [echo()])
    stage._emit = emit  # type: ignore[method-assign]

    end = await stage.run()

    assert end.reason == "done"
    assert len(stage.results) == 5
