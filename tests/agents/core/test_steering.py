"""A message for the running agent lands after the tools, before the next model call."""

from __future__ import annotations

from agents.core.events import LoopEvent, ToolExecutionStart
from agents.core.message_queue import MessageQueue
from agents.core.messages import UserMessage
from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo


async def test_it_works() -> None:
    queue = MessageQueue()

    def steer(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionStart) and event.call.id == "a":
            queue.put(UserMessage("no, the other one"))

    stage = Stage(
        [asks_for(call("a"), call("b")), "ok"],
        [echo()],
        settings={"steering": queue.take, "execution": "sequential"},
        on_event=steer,
    )

    await stage.run()

    assert stage.result_texts == ["a", "b"]  # no call is skipped
    roles = [message.role for message in stage.model.requests[1].messages]
    assert roles == ["user", "assistant", "toolResult", "toolResult", "user"]
    end_of_tools = stage.trace.index("TurnEnd")
    assert stage.trace[end_of_tools : end_of_tools + 5] == [
        "TurnEnd",
        "TurnStart",
        "MessageStart user",
        "MessageEnd user",
        "ModelCallStart",
    ]


async def test_the_queue_is_asked_before_the_first_model_call() -> None:
    queue = MessageQueue()
    queue.put(UserMessage("one more thing"))
    stage = Stage(["ok"], settings={"steering": queue.take})

    await stage.run()

    said = [message.content for message in stage.model.requests[0].messages]
    assert said == ["hi", "one more thing"]
    assert len(stage.model.requests) == 1


async def test_a_message_during_the_last_answer_gives_another_turn() -> None:
    queue = MessageQueue()
    stage = Stage(["first", "second"], settings={"steering": queue.take})

    def steer(event: LoopEvent) -> None:
        if type(event).__name__ == "ModelCallStart" and stage.model.left == 2:
            queue.put(UserMessage("and this?"))

    stage.on_event = steer
    await stage.run()

    assert [message.role for message in stage.history] == ["user", "assistant"] * 2


async def test_messages_come_one_at_a_time_or_all_together() -> None:
    for mode, calls in (("one-at-a-time", 3), ("all", 2)):
        queue = MessageQueue()
        queue.mode = mode  # type: ignore[assignment]
        stage = Stage(["ok"] * 3, settings={"follow_up": queue.take})
        queue.put(UserMessage("x"))
        queue.put(UserMessage("y"))

        await stage.run()

        assert len(stage.model.requests) == calls
        assert [message.role for message in stage.history].count("user") == 3
