"""A follow-up waits until the agent would stop."""

from __future__ import annotations

from agents.core.events import TurnEnd
from agents.core.message_queue import MessageQueue
from agents.core.messages import UserMessage
from agents.core.testing import asks_for
from agents.core.tools import ToolResult
from tests.agents.core.harness import Stage, call, echo, function_tool


async def test_it_works() -> None:
    queue = MessageQueue()
    queue.put(UserMessage("then this"))
    stage = Stage(
        [asks_for(call("a")), "first", "second"], [echo()], settings={"follow_up": queue.take}
    )

    end = await stage.run()

    roles = [message.role for message in stage.history]
    assert roles == ["user", "assistant", "toolResult", "assistant", "user", "assistant"]
    assert end.reason == "done"
    assert stage.trace.count("AgentEnd done") == 1


async def test_steering_comes_first() -> None:
    steering, follow_ups = MessageQueue(), MessageQueue()
    stage = Stage(
        ["1", "2", "3"], settings={"steering": steering.take, "follow_up": follow_ups.take}
    )

    def fill(event: object) -> None:
        if isinstance(event, TurnEnd) and stage.model.left == 2:
            follow_ups.put(UserMessage("later"))
            steering.put(UserMessage("now"))

    stage.on_event = fill
    await stage.run()

    said = [item.content for item in stage.history if isinstance(item, UserMessage)]
    assert said == ["hi", "now", "later"]


async def test_a_failed_answer_leaves_the_queues_alone() -> None:
    queue = MessageQueue()
    queue.put(UserMessage("then this"))
    stage = Stage([], settings={"follow_up": queue.take})

    end = await stage.run()

    assert end.reason == "error"
    assert len(queue) == 1


async def test_terminate_stops_after_the_batch_only_if_every_result_asks() -> None:
    async def stop(text: str) -> ToolResult:
        return ToolResult((), terminate=True)

    tools = [echo(), function_tool(stop)]
    mixed = Stage([asks_for(call("a"), call("b", "stop", text="")), "ok"], tools)
    both = Stage([asks_for(call("a", "stop", text=""), call("b", "stop", text="")), "ok"], tools)

    assert (await mixed.run()).reason == "done"
    assert (await both.run()).reason == "terminated"
    assert len(mixed.model.requests) == 2
    assert len(both.model.requests) == 1
    assert len(both.results) == 2
