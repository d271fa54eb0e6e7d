"""A failed model call is an event and an end, never an exception."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.events import AgentEnd, MessageEnd, MessageUpdate, TurnEnd
from agents.core.messages import AssistantMessage, Text
from agents.core.model import Done, ModelEvent, ModelRequest, Start, TextDelta, ToolCallEnd
from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo


def last_message(stage: Stage) -> AssistantMessage:
    message = stage.history[-1]
    assert isinstance(message, AssistantMessage)
    return message


async def test_it_works() -> None:
    error = ProviderError("slow down", reason="rate_limit", retry_after=3)
    stage = Stage([error])

    end = await stage.run()

    assert (end.reason, end.error) == ("error", error)
    assert stage.trace[-4:] == [
        "MessageStart assistant",
        "MessageEnd assistant",
        "TurnEnd",
        "AgentEnd error",
    ]
    ended = [event for event in stage.events if isinstance(event, MessageEnd)][-1]
    assert ended.error is error
    assert last_message(stage).stop_reason == "error"
    assert [event.results for event in stage.events if isinstance(event, TurnEnd)] == [()]


async def test_calls_of_a_failed_answer_never_run() -> None:
    stage = Stage([asks_for(call("a"), text="Let me", stop_reason="error")], [echo()])

    end = await stage.run()

    assert end.reason == "error"
    assert stage.results == []
    assert not any("Tool" in line for line in stage.trace)


async def test_a_failure_after_tools_keeps_their_results() -> None:
    stage = Stage([asks_for(call("a")), ProviderError("gone", reason="overloaded")], [echo()])

    end = await stage.run()

    assert end.reason == "error"
    assert stage.result_texts == ["a"]
    assert stage.trace.count("TurnEnd") == 2


async def raises(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
    yield Start()
    yield TextDelta(1, "two")
    yield TextDelta(0, "one")
    yield ToolCallEnd(2, call("x"))
    raise RuntimeError("boom")


async def stops_short(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
    yield TextDelta(0, "half")


def raises_at_once(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
    raise RuntimeError("no connection")


async def test_a_stream_that_raises_gives_what_had_arrived() -> None:
    stage = Stage([raises], [echo()])

    end = await stage.run()

    assert end.reason == "error"
    assert end.error is not None
    assert end.error.message == "RuntimeError: boom"
    assert last_message(stage).content == (Text("one"), Text("two"), call("x"))
    assert stage.results == []


async def test_a_stream_that_stops_without_an_end_has_failed() -> None:
    stage = Stage([stops_short])

    end = await stage.run()

    assert end.reason == "error"
    assert last_message(stage).text == "half"


async def test_a_stream_that_cannot_be_opened_has_failed() -> None:
    stage = Stage([raises_at_once])

    end = await stage.run()

    assert end.reason == "error"
    assert "no connection" in str(end.error)
    assert isinstance(stage.events[-1], AgentEnd)


async def test_a_stream_that_ignores_the_signal_is_cut_off() -> None:
    async def deaf(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        yield TextDelta(0, "so far")
        await asyncio.Event().wait()

    stage = Stage([deaf], settings={"abort_grace": 0.01})
    stage.on_event = lambda event: (
        stage.signal.abort() if isinstance(event, MessageUpdate) else None
    )

    end = await asyncio.wait_for(stage.run(), 5)

    assert end.reason == "aborted"
    assert last_message(stage).text == "so far"
    assert last_message(stage).stop_reason == "aborted"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_wrapper_may_finish_its_work_after_the_last_event() -> None:
    finished: list[str] = []

    async def wrapped(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        yield Done(AssistantMessage((Text("ok"),)))
        finished.append("log written")

    stage = Stage([wrapped])

    end = await stage.run()

    assert end.reason == "done"
    assert finished == ["log written"]


async def test_a_cancelled_run_closes_the_stream() -> None:
    closed = asyncio.Event()
    started = asyncio.Event()

    async def open_ended(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        try:
            yield Start()
            started.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    task = asyncio.create_task(Stage([open_ended]).run())
    await started.wait()
    task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert closed.is_set()
