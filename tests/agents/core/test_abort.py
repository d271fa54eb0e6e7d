"""Abort ends a run soon, keeps what was said and leaves no call without a result."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.events import (
    LoopEvent,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from agents.core.function_tool import FunctionTool
from agents.core.messages import AssistantMessage, Text, UserMessage
from agents.core.testing import asks_for, says_until_aborted
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.core.transcript import open_batch
from tests.agents.core.harness import Stage, call, echo, function_tool


def abort_on(stage: Stage, kind: type[LoopEvent]) -> None:
    stage.on_event = lambda event: stage.signal.abort() if isinstance(event, kind) else None


def abort_while_tools_run(stage: Stage) -> None:
    def check(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionEnd) and event.call.id == "b":
            stage.signal.abort()

    stage.on_event = check


async def never(text: str) -> str:
    await asyncio.Event().wait()
    return text


async def test_it_works() -> None:
    stage = Stage([says_until_aborted("I was about to")])
    abort_on(stage, MessageUpdate)

    end = await stage.run()

    last = stage.history[-1]
    assert isinstance(last, AssistantMessage)
    assert (last.text, last.stop_reason) == ("I was about to", "aborted")
    assert end.reason == "aborted"
    assert end.error is not None
    assert end.error.reason == "aborted"
    assert stage.trace[-3:] == ["MessageEnd assistant", "TurnEnd", "AgentEnd aborted"]


async def test_an_abort_before_the_start_keeps_the_prompt() -> None:
    stage = Stage(["never asked"])
    stage.signal.abort("stop")

    end = await stage.run()

    assert stage.model.requests == []
    assert isinstance(stage.history[0], UserMessage)
    assert end.reason == "aborted"
    assert stage.trace[-4:] == [
        "MessageStart assistant",
        "MessageEnd assistant",
        "TurnEnd",
        "AgentEnd aborted",
    ]


class Patient(FunctionTool):
    """A tool that works until the signal and says how far it came."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        await on_update(ToolResult.text("started"))
        await signal.wait()
        raise ToolError("interrupted at line 3")


async def test_a_tool_sees_the_signal_and_may_still_answer() -> None:
    stage = Stage([asks_for(call("a", "patient"))], [Patient("patient", "", never)])
    abort_on(stage, ToolExecutionUpdate)

    end = await asyncio.wait_for(stage.run(), 4)  # not after the grace of 5 s

    assert end.reason == "aborted"
    assert stage.result_texts == ["interrupted at line 3"]


async def test_a_tool_does_not_start_after_the_signal() -> None:
    stage = Stage([asks_for(call("a"))], [echo()])
    abort_on(stage, ToolExecutionStart)

    end = await stage.run()

    assert end.reason == "aborted"
    assert stage.result_texts == ["aborted"]


async def test_a_deaf_tool_is_cancelled_after_the_grace() -> None:
    stage = Stage(
        [asks_for(call("a", "never", text="x"), call("b"))],
        [function_tool(never), echo()],
        settings={"abort_grace": 0.01},
    )
    abort_while_tools_run(stage)

    end = await asyncio.wait_for(stage.run(), 5)

    assert end.reason == "aborted"
    assert stage.result_texts == ["aborted", "b"]
    assert [result.is_error for result in stage.results] == [True, False]
    assert len(stage.model.requests) == 1


async def test_a_tool_that_refuses_to_die_is_left_behind() -> None:
    async def stubborn(text: str) -> str:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        return text

    released = asyncio.Event()
    stage = Stage(
        [asks_for(call("a", "stubborn", text="x"))],
        [function_tool(stubborn)],
        settings={"abort_grace": 0.01},
    )
    asyncio.get_running_loop().call_later(0.05, stage.signal.abort)

    end = await asyncio.wait_for(stage.run(), 10)
    released.set()

    assert end.reason == "aborted"
    assert stage.result_texts == ["aborted"]


async def test_calls_that_had_not_started_are_answered_too() -> None:
    stage = Stage(
        [asks_for(call("a"), call("b"), call("c"))], [echo()], settings={"execution": "sequential"}
    )
    stage.on_event = lambda event: (
        stage.signal.abort()
        if isinstance(event, ToolExecutionStart) and event.call.id == "b"
        else None
    )

    end = await stage.run()

    assert end.reason == "aborted"
    assert stage.result_texts == ["a", "aborted", "aborted"]
    assert open_batch(stage.history) is None


async def test_a_batch_that_comes_after_the_abort_does_not_run() -> None:
    ran: list[str] = []

    async def note(text: str) -> str:
        ran.append(text)
        return text

    stage = Stage([asks_for(call("a", "note", text="x"))], [function_tool(note)])
    stage.on_event = lambda event: (
        stage.signal.abort()
        if type(event).__name__ == "MessageEnd" and stage.model.left == 0
        else None
    )

    end = await stage.run()

    assert ran == []
    assert end.reason == "aborted"
    assert stage.result_texts == ["aborted"]


async def test_the_next_request_has_no_orphan_call() -> None:
    cut = AssistantMessage((Text("Let me"), call("lost")), stop_reason="aborted")
    stage = Stage(["ok"], history=[UserMessage("hi"), cut])

    await stage.run()

    sent = stage.model.requests[0].messages
    assert [message.role for message in sent] == ["user", "assistant", "user"]
    assert isinstance(sent[1], AssistantMessage)
    assert sent[1].content == (Text("Let me"),)


def test_the_first_reason_stays() -> None:
    signal = AbortSignal()
    told: list[str] = []
    leave = signal.subscribe(lambda: told.append("left"))
    signal.subscribe(lambda: told.append("stayed"))
    leave()

    signal.abort("timeout")
    signal.abort("stop")
    signal.subscribe(lambda: told.append("late"))

    assert signal.kind == "timeout"
    assert told == ["stayed", "late"]
