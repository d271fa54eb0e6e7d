"""One call at a time where the configuration or any tool of the batch asks for it."""

from __future__ import annotations

import asyncio

from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo, function_tool

ONE_AFTER_THE_OTHER = [
    "ToolBatchJudged a b",
    "ToolExecutionStart a",
    "ToolExecutionEnd a",
    "MessageStart toolResult",
    "MessageEnd toolResult",
    "ToolExecutionStart b",
    "ToolExecutionEnd b",
    "MessageStart toolResult",
    "MessageEnd toolResult",
    "TurnEnd",
]


def tool_part(stage: Stage) -> list[str]:
    start = stage.trace.index("ToolBatchJudged a b")
    return stage.trace[start : start + len(ONE_AFTER_THE_OTHER)]


async def test_it_works() -> None:
    stage = Stage(
        [asks_for(call("a"), call("b")), "ok"], [echo()], settings={"execution": "sequential"}
    )

    await stage.run()

    assert tool_part(stage) == ONE_AFTER_THE_OTHER
    assert stage.result_texts == ["a", "b"]


async def test_one_sequential_tool_makes_the_batch_sequential() -> None:
    running = most = 0

    async def count(text: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return text

    alone = function_tool(count, name="alone", execution="sequential")
    together = function_tool(count, name="together")
    stage = Stage(
        [asks_for(call("a", "together", text="1"), call("b", "alone", text="2")), "ok"],
        [alone, together],
    )

    await stage.run()

    assert most == 1
    assert tool_part(stage) == ONE_AFTER_THE_OTHER


async def test_a_sequential_tool_that_is_not_called_changes_nothing() -> None:
    barrier = asyncio.Barrier(2)

    async def meet(text: str) -> str:
        await barrier.wait()  # would wait for ever if the calls came one at a time
        return text

    alone = function_tool(meet, name="alone", execution="sequential")
    stage = Stage(
        [asks_for(call("a", "meet", text="1"), call("b", "meet", text="2")), "ok"],
        [function_tool(meet), alone],
    )

    await asyncio.wait_for(stage.run(), 5)

    assert stage.result_texts == ["1", "2"]
