"""What a tool gives back, or fails with, reaches the model as a clean result."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from agents.core.errors import ToolError
from agents.core.events import LoopEvent, ToolExecutionUpdate
from agents.core.function_tool import FunctionTool
from agents.core.messages import Image, Text, ToolCall
from agents.core.testing import asks_for
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tests.agents.core.harness import CONTEXT, Stage, call, echo, function_tool


async def result_of(function: Any) -> Stage:
    """A run in which the function was called once."""
    stage = Stage(
        [asks_for(call("a", "tool", text="x")), "ok"], [function_tool(function, name="tool")]
    )
    await stage.run()
    return stage


async def test_it_works() -> None:
    async def look(text: str) -> ToolResult:
        return ToolResult((Text("a cat"), Image("aGk=", "image/png")), details={"size": 2})

    result = (await result_of(look)).results[0]

    assert result.content == (Text("a cat"), Image("aGk=", "image/png"))
    assert result.details == {"size": 2}
    assert not result.is_error


async def test_a_tool_error_is_its_text() -> None:
    async def fail(text: str) -> str:
        raise ToolError("No such file: a.md", details={"path": "a.md"})

    stage = await result_of(fail)

    assert stage.result_texts == ["No such file: a.md"]
    assert stage.results[0].is_error
    assert stage.results[0].details == {"path": "a.md"}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("bad value"), "ValueError: bad value"),
        (KeyError(), "KeyError"),
        (SystemExit(3), "SystemExit: 3"),
    ],
)
async def test_any_other_exception_is_class_and_message(error: BaseException, text: str) -> None:
    async def fail(text: str) -> str:
        raise error

    stage = await result_of(fail)

    assert stage.result_texts == [text]
    assert stage.results[0].is_error


async def test_a_tool_that_cancels_itself_is_answered() -> None:
    async def give_up(text: str) -> str:
        raise asyncio.CancelledError

    stage = await result_of(give_up)

    assert stage.result_texts == ["aborted"]
    assert stage.trace[-1] == "AgentEnd done"


async def test_a_tool_that_returns_something_else_is_said_to_be_broken() -> None:
    async def wrong(text: str) -> Any:
        return 5

    assert "returned int" in (await result_of(wrong)).result_texts[0]


async def test_text_that_no_store_can_hold_is_replaced() -> None:
    async def dirty(text: str) -> str:
        return "a\ud800b\0c \ud83d\ude00 é"

    assert (await result_of(dirty)).result_texts == ["a\ufffdb\ufffdc \U0001f600 é"]


class Talkative(FunctionTool):
    """A tool with partial output, some of it sent without waiting."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: Any,
        on_update: UpdateFn,
    ) -> ToolResult:
        assert context is CONTEXT
        await on_update(ToolResult.text("one\ud800"))
        self.late = asyncio.ensure_future(on_update(ToolResult.text("two")))
        await asyncio.sleep(0)
        self.too_late = on_update
        return ToolResult.text("three")


def talkative() -> Talkative:
    return Talkative("tool", "", echo().function)


async def test_partial_output_comes_before_the_end() -> None:
    tool = talkative()
    stage = Stage([asks_for(ToolCall("a", "tool")), "ok"], [tool])

    await stage.run()
    await tool.too_late(ToolResult.text("nobody hears this"))

    start = stage.trace.index("ToolExecutionStart a")
    assert stage.trace[start + 1 : start + 4] == [
        "ToolExecutionUpdate a",
        "ToolExecutionUpdate a",
        "ToolExecutionEnd a",
    ]
    updates = [event for event in stage.events if isinstance(event, ToolExecutionUpdate)]
    assert updates[0].partial == ToolResult.text("one\ufffd")
    assert stage.trace.count("ToolExecutionUpdate a") == 2


async def test_a_listener_that_raises_for_partial_output_ends_the_run() -> None:
    def refuse(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionUpdate):
            raise PermissionError("fenced off")

    stage = Stage([asks_for(ToolCall("a", "tool"))], [talkative()], on_event=refuse)

    with pytest.raises(PermissionError, match="fenced off"):
        await stage.run()

    assert stage.results == []


class Aliased(FunctionTool):
    """A tool that takes `content` for `text`."""

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"text": arguments.get("content", arguments.get("text"))}


async def test_a_tool_may_spell_its_arguments_before_they_are_checked() -> None:
    tool = Aliased("echo", "", echo().function, echo().parameters)
    stage = Stage([asks_for(call("a", content=7)), "ok"], [tool])

    await stage.run()

    assert stage.result_texts == ["7"]


async def test_a_tool_that_cannot_spell_them_is_answered() -> None:
    class Broken(Aliased):
        def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
            raise RuntimeError("cannot read this")

    stage = Stage([asks_for(call("a")), "ok"], [Broken("echo", "", echo().function)])

    await stage.run()

    assert stage.result_texts == ["cannot read this"]
    assert stage.results[0].is_error
