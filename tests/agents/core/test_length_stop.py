"""An answer cut off by the output limit: whole calls run, calls with lost arguments never do."""

from __future__ import annotations

from collections.abc import AsyncIterator

from agents.core.abort import AbortSignal
from agents.core.messages import AssistantMessage, Message, ToolCall, UserMessage
from agents.core.model import Done, ModelEvent, ModelRequest, Start, ToolCallDelta, ToolCallEnd
from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, function_tool

WHOLE = ToolCall("whole", "note", {"text": "whole"})
LOST = ToolCall("lost", "note", {})
CUT = AssistantMessage((WHOLE, LOST), stop_reason="length")


async def cut_off(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
    yield Start()
    yield ToolCallEnd(0, WHOLE)
    yield ToolCallDelta(1, "lost", "note", '{"text": "lo')
    yield Done(CUT)


def noting(ran: list[str]) -> Stage:
    async def note(text: str = "nothing") -> str:
        ran.append(text)
        return text

    tool = function_tool(note)
    tool.parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    return Stage([cut_off, "ok"], [tool])


async def test_it_works() -> None:
    ran: list[str] = []
    stage = noting(ran)

    end = await stage.run()

    assert ran == ["whole"]
    assert stage.result_texts[0] == "whole"
    assert "output limit" in stage.result_texts[1]
    assert [result.is_error for result in stage.results] == [False, True]
    assert end.reason == "done"
    assert len(stage.model.requests) == 2  # the model is told, so that it can try again


async def test_a_whole_call_without_arguments_runs() -> None:
    ran: list[str] = []
    stage = noting(ran)
    stage.model = type(stage.model)([asks_for(LOST, stop_reason="length"), "ok"])

    await stage.run()

    assert ran == ["nothing"]


async def test_after_a_restart_empty_arguments_count_as_lost() -> None:
    ran: list[str] = []
    stage = noting(ran)
    stage.model = type(stage.model)(["ok"])
    history: list[Message] = [UserMessage("hi"), CUT]
    stage.history, stage.prompts = history, ()

    await stage.run()

    assert ran == ["whole"]
    assert "output limit" in stage.result_texts[1]


async def test_text_cut_off_is_an_answer() -> None:
    cut = asks_for(text="and then", stop_reason="length")
    stage = Stage([cut], [])

    end = await stage.run()

    assert end.reason == "done"
    assert stage.history[-1].role == "assistant"
