"""The events of a run nest like brackets, in the order the contract states."""

from __future__ import annotations

from agents.core.events import AgentEnd, MessageEnd, MessageUpdate, ModelCallStart
from agents.core.messages import UserMessage
from agents.core.model import TextDelta
from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo

PLAIN_ANSWER = [
    "ModelCallStart",
    "MessageStart assistant",
    "MessageEnd assistant",
]


async def test_it_works() -> None:
    stage = Stage(["Hello there, dear world."])

    end = await stage.run()

    assert stage.trace == [
        "AgentStart",
        "TurnStart",
        "MessageStart user",
        "MessageEnd user",
        *PLAIN_ANSWER,
        "TurnEnd",
        "AgentEnd done",
    ]
    assert [message.role for message in end.messages] == ["user", "assistant"]
    assert stage.events[-1] is end


async def test_a_tool_call_takes_a_second_turn() -> None:
    stage = Stage([asks_for(call("a")), "done"], [echo()])

    await stage.run()

    assert stage.trace[4:] == [
        *PLAIN_ANSWER,
        "ToolBatchJudged a",
        "ToolExecutionStart a",
        "ToolExecutionEnd a",
        "MessageStart toolResult",
        "MessageEnd toolResult",
        "TurnEnd",
        "TurnStart",
        *PLAIN_ANSWER,
        "TurnEnd",
        "AgentEnd done",
    ]
    assert stage.result_texts == ["a"]
    assert [message.role for message in stage.model.requests[1].messages] == [
        "user",
        "assistant",
        "toolResult",
    ]


async def test_every_prompt_is_told_before_the_model_is_asked() -> None:
    stage = Stage(["ok"], prompts=[UserMessage("one"), UserMessage("two")])

    await stage.run()

    assert stage.trace[2:7] == ["MessageStart user", "MessageEnd user"] * 2 + ["ModelCallStart"]


async def test_pieces_come_between_start_and_end_and_make_up_the_message() -> None:
    text = "A longer answer that comes in several pieces."
    stage = Stage([text])

    await stage.run()

    pieces = [
        event.event.delta
        for event in stage.events
        if isinstance(event, MessageUpdate) and isinstance(event.event, TextDelta)
    ]
    assert len(pieces) > 1
    assert "".join(pieces) == text
    names = [type(event).__name__ for event in stage.events]
    updates = [index for index, name in enumerate(names) if name == "MessageUpdate"]
    assert names[updates[0] - 1] == "MessageStart"
    assert names[updates[-1] + 1] == "MessageEnd"


async def test_the_end_holds_only_what_is_new() -> None:
    old = UserMessage("old")
    stage = Stage(["ok"], history=[old])

    end = await stage.run()

    assert old not in end.messages
    assert stage.history == [old, *end.messages]
    assert stage.model.requests[0].messages[0] == old


async def test_a_message_is_in_the_history_when_its_end_is_told() -> None:
    seen: list[bool] = []
    stage = Stage([asks_for(call("a")), "ok"], [echo()])

    def check(event: object) -> None:
        if isinstance(event, MessageEnd):
            seen.append(stage.history[-1] is event.message)

    stage.on_event = check
    await stage.run()

    assert seen == [True] * 4


async def test_the_request_told_is_the_request_sent() -> None:
    stage = Stage(["ok"])

    await stage.run()

    told = [event.request for event in stage.events if isinstance(event, ModelCallStart)]
    assert told == stage.model.requests
    assert isinstance(stage.events[-1], AgentEnd)
