"""A batch that waits for a decision starts nothing, and goes on later without a model call."""

from __future__ import annotations

from collections.abc import Sequence

from agents.core.events import ToolBatchJudged, TurnEnd
from agents.core.messages import ToolCall
from agents.core.testing import asks_for
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolResult, Verdict
from agents.core.transcript import open_batch
from tests.agents.core.harness import Stage, call, echo


class ByName:
    """A gate with a fixed verdict for each call id; it remembers what it was asked."""

    def __init__(self, **verdicts: Verdict) -> None:
        self.verdicts = verdicts
        self.asked: list[list[str]] = []

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        self.asked.append([asked.id for asked in calls])
        return [self.verdicts.get(asked.id, Allow()) for asked in calls]


async def park() -> Stage:
    """A run that stopped because call b needs a decision."""
    stage = Stage(
        [asks_for(call("a"), call("b"), call("c"))],
        [echo()],
        settings={"gate": ByName(b=Park("approval-1"), c=Deny("not you"))},
    )
    end = await stage.run()
    assert end.reason == "parked"
    return stage


async def test_it_works() -> None:
    stage = await park()

    assert stage.results == []
    assert stage.trace[-3:] == ["ToolBatchJudged a b c", "TurnEnd", "AgentEnd parked"]
    judged = next(event for event in stage.events if isinstance(event, ToolBatchJudged))
    assert list(judged.verdicts) == [Allow(), Park("approval-1"), Deny("not you")]
    turn = next(event for event in stage.events if isinstance(event, TurnEnd))
    assert turn.results == ()


async def test_resuming_enters_at_the_batch() -> None:
    parked = await park()
    gate = ByName(c=Deny("not you"))
    stage = Stage(
        ["all done"], [echo()], history=parked.history, prompts=(), settings={"gate": gate}
    )

    end = await stage.run()

    assert stage.trace[:3] == ["AgentStart", "TurnStart", "ToolBatchJudged a b c"]
    assert stage.result_texts == ["a", "b", "not you"]
    assert [result.is_error for result in stage.results] == [False, False, True]
    assert len(stage.model.requests) == 1
    assert [message.role for message in end.messages] == ["toolResult"] * 3 + ["assistant"]


async def test_known_answers_are_neither_judged_nor_run() -> None:
    parked = await park()
    gate = ByName()
    answered = {
        "a": ToolResult.text("from before", path="a.md"),
        "b": ToolResult.text("denied by Bob", is_error=True),
    }
    stage = Stage(
        ["ok"], [], history=parked.history, prompts=(), answered=answered, settings={"gate": gate}
    )
    stage.tools = [echo()]

    await stage.run()

    assert gate.asked == [["c"]]
    assert stage.result_texts == ["from before", "denied by Bob", "c"]
    assert stage.results[0].details == {"path": "a.md"}
    assert "ToolBatchJudged c" in stage.trace
    assert stage.trace.count("ToolExecutionEnd a") == 1


async def test_results_already_in_the_history_are_not_told_again() -> None:
    first = Stage([asks_for(call("a"), call("b"))], [echo()], settings={"execution": "sequential"})
    await first.run()
    history = first.history[:3]  # user, assistant, result of a
    stage = Stage(["ok"], [echo()], history=history, prompts=())

    await stage.run()

    assert stage.result_texts == ["a", "b"]
    assert "ToolExecutionStart a" not in stage.trace
    assert "ToolBatchJudged b" in stage.trace


async def test_parking_again_is_possible() -> None:
    parked = await park()
    stage = Stage(
        [], [echo()], history=parked.history, prompts=(), settings={"gate": ByName(a=Park("2"))}
    )

    end = await stage.run()

    assert end.reason == "parked"
    assert end.messages == ()
    batch = open_batch(stage.history)
    assert batch is not None
    assert [waiting.id for waiting in batch.calls] == ["a", "b", "c"]


async def test_an_unknown_call_keeps_its_place_and_is_not_judged() -> None:
    gate = ByName()
    stage = Stage(
        [asks_for(call("a"), call("b", "eccho"), call("c")), "ok"],
        [echo()],
        settings={"gate": gate},
    )

    await stage.run()

    assert gate.asked == [["a", "c"]]
    judged = next(event for event in stage.events if isinstance(event, ToolBatchJudged))
    assert [type(verdict) for verdict in judged.verdicts] == [Allow, Deny, Allow]
    assert [result.tool_call_id for result in stage.results] == ["a", "b", "c"]


async def test_an_abort_while_judging_does_not_park() -> None:
    stage = Stage([asks_for(call("a"), call("b"))], [echo()])

    class Slow(ByName):
        async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
            stage.signal.abort("stop")
            return await super().judge(calls, context)

    stage.settings["gate"] = Slow(a=Park("1"))

    end = await stage.run()

    assert end.reason == "aborted"
    assert stage.result_texts == ["aborted", "aborted"]
