"""A call of a tool that is not there is answered with the nearest name and never runs."""

from __future__ import annotations

from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo


async def test_it_works() -> None:
    stage = Stage([asks_for(call("a", "raed")), "ok"], [echo("read"), echo("write")])

    end = await stage.run()

    assert stage.result_texts == ["There is no tool 'raed'. Did you mean 'read'?"]
    assert stage.results[0].is_error
    assert stage.results[0].tool_name == "raed"
    assert end.reason == "done"
    assert len(stage.model.requests) == 2


async def test_another_case_is_a_near_name() -> None:
    stage = Stage([asks_for(call("a", "READ")), "ok"], [echo("read")])

    await stage.run()

    assert "Did you mean 'read'?" in stage.result_texts[0]


async def test_without_a_near_name_all_are_listed() -> None:
    stage = Stage([asks_for(call("a", "zzz")), "ok"], [echo("read"), echo("write")])

    await stage.run()

    assert stage.result_texts == ["There is no tool 'zzz'. The tools are: read, write."]


async def test_without_any_tools_it_says_so() -> None:
    stage = Stage([asks_for(call("a")), "ok"])

    await stage.run()

    assert stage.result_texts == ["There is no tool 'echo'. The tools are: none."]


async def test_the_brackets_close_for_a_call_that_does_not_run() -> None:
    stage = Stage([asks_for(call("a", "zzz")), "ok"], [echo()])

    await stage.run()

    start = stage.trace.index("ToolBatchJudged a")
    assert stage.trace[start + 1 : start + 3] == ["ToolExecutionStart a", "ToolExecutionEnd a"]
