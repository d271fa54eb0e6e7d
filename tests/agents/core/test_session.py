"""The agent as a library: one conversation, listeners, queues, abort."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError, UserError
from agents.core.events import LoopEvent, MessageUpdate, ToolExecutionStart
from agents.core.function_tool import FunctionTool
from agents.core.messages import AssistantMessage, Text, ToolCall, ToolResultMessage, UserMessage
from agents.core.model import ModelEvent, ModelRequest
from agents.core.session import AgentSession, create_agent_session
from agents.core.testing import (
    SCRIPTED_MODEL,
    ScriptedAnswer,
    ScriptedModel,
    asks_for,
    says_until_aborted,
)
from agents.core.tools import Allow, Park, ToolContext, ToolResult, Verdict
from tests.agents.core.harness import call, echo


def talk(*answers: ScriptedAnswer, **more: object) -> tuple[AgentSession, ScriptedModel]:
    """A session on a script, with the echo tool."""
    model = ScriptedModel(answers)
    session = create_agent_session(
        model=SCRIPTED_MODEL,
        client_or_stream_fn=model,
        tools=[echo()],
        system="Be brief.",
        **more,  # type: ignore[arg-type]
    )
    return session, model


def roles(session: AgentSession) -> list[str]:
    return [message.role for message in session.messages]


async def test_it_works() -> None:
    session, model = talk(asks_for(call("a")), "done", "again")
    names: list[str] = []
    session.subscribe(lambda event: names.append(type(event).__name__))

    end = await session.prompt("hi")
    await session.prompt(UserMessage("more"))

    assert end.reason == "done"
    assert roles(session) == ["user", "assistant", "toolResult", "assistant", "user", "assistant"]
    assert names.count("AgentStart") == names.count("AgentEnd") == 2
    assert model.requests[0].system == "Be brief."
    assert [tool.name for tool in model.requests[0].tools] == ["echo"]
    assert len(model.requests[2].messages) == 5


async def test_a_client_or_a_stream_function_will_do() -> None:
    client = ScriptedModel(["one", "two"])
    for either in (client, client.stream):
        session = create_agent_session(model=SCRIPTED_MODEL, client_or_stream_fn=either)
        await session.prompt("hi")

    assert client.left == 0


async def test_a_prompt_while_running_is_refused() -> None:
    session, _ = talk(says_until_aborted("thinking"))
    running = asyncio.create_task(session.prompt("hi"))
    await asyncio.sleep(0)

    assert session.running
    with pytest.raises(UserError, match=r"use steer\(\) or follow_up\(\)"):
        await session.prompt("me too")
    with pytest.raises(UserError, match="continue_"):
        await session.continue_()
    with pytest.raises(UserError, match="replace_messages"):
        session.replace_messages([])

    session.abort()
    await session.wait_idle()
    assert (await running).reason == "aborted"
    assert not session.running


async def test_the_session_is_busy_until_the_last_listener_is_through() -> None:
    session, _ = talk("ok")
    busy: list[bool] = []

    async def listen(event: LoopEvent) -> None:
        await asyncio.sleep(0)
        busy.append(session.running)

    session.subscribe(listen)
    await session.prompt("hi")

    assert busy
    assert all(busy)
    assert not session.running


async def test_steering_and_follow_up_reach_the_agent() -> None:
    session, _ = talk(asks_for(call("a")), "steered", "followed")

    def speak(event: LoopEvent) -> None:
        if isinstance(event, ToolExecutionStart):
            session.follow_up("later")
            session.steer("now")

    session.subscribe(speak)
    await session.prompt("hi")

    said = [item.content for item in session.messages if isinstance(item, UserMessage)]
    assert said == ["hi", "now", "later"]
    assert roles(session)[2:5] == ["toolResult", "user", "assistant"]


async def test_queues_can_give_all_and_forget_all() -> None:
    session, model = talk("ok", "ok")
    session.set_queue_modes(steering="all", follow_up="all")
    session.steer("x")
    session.follow_up("y")
    session.clear_queues()
    session.steer("a")
    session.steer("b")

    await session.prompt("hi")

    assert [message.content for message in model.requests[0].messages] == ["hi", "a", "b"]
    assert len(model.requests) == 1


async def test_abort_keeps_the_partial_answer_and_the_next_prompt_works() -> None:
    session, model = talk(says_until_aborted("so far"), "fine")
    leave = session.subscribe(
        lambda event: session.abort("stop") if isinstance(event, MessageUpdate) else None
    )

    end = await session.prompt("hi")
    leave()
    leave()
    again = await session.prompt("go on")

    assert (end.reason, again.reason) == ("aborted", "done")
    partial = session.messages[1]
    assert isinstance(partial, AssistantMessage)
    assert (partial.text, partial.stop_reason) == ("so far", "aborted")
    assert len(model.requests[1].messages) == 3


async def test_messages_are_a_copy_and_can_be_replaced() -> None:
    session, model = talk("ok")
    session.messages.append(UserMessage("not heard"))
    session.replace_messages([UserMessage("old"), AssistantMessage((Text("answer"),))])

    await session.prompt("new")

    assert [message.role for message in model.requests[0].messages] == [
        "user",
        "assistant",
        "user",
    ]


async def test_the_stream_function_can_be_wrapped() -> None:
    session, _ = talk("ok")
    inner, log = session.stream_fn, []

    async def logged(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        async for event in inner(request, signal):
            log.append(type(event).__name__)
            yield event

    session.stream_fn = logged
    await session.prompt("hi")

    assert log == ["Start", "TextDelta", "Done"]


async def test_going_on_after_a_failure_asks_the_same_again() -> None:
    session, model = talk(ProviderError("busy", reason="overloaded"), "now")

    failed = await session.prompt("hi")
    end = await session.continue_()

    assert (failed.reason, end.reason) == ("error", "done")
    assert roles(session) == ["user", "assistant"]
    assert model.requests[0].messages == model.requests[1].messages


async def test_there_must_be_something_to_go_on_with() -> None:
    session, _ = talk("ok", "steered")

    with pytest.raises(UserError, match="conversation is empty"):
        await session.continue_()
    await session.prompt("hi")
    with pytest.raises(UserError, match="last answer is complete"):
        await session.continue_()

    session.follow_up("and then?")
    assert (await session.continue_()).reason == "done"
    assert roles(session) == ["user", "assistant", "user", "assistant"]


class AskFirst:
    """Parks every call until `open` is set."""

    open = False

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        return [Allow() if self.open else Park("ask") for _ in calls]


async def test_a_parked_turn_goes_on_with_a_decision() -> None:
    gate = AskFirst()
    session, _ = talk(asks_for(call("a"), call("b")), "done", gate=gate)

    parked = await session.prompt("hi")
    gate.open = True
    end = await session.continue_({"b": ToolResult.text("denied by you", is_error=True)})

    assert (parked.reason, end.reason) == ("parked", "done")
    results = [item for item in session.messages if isinstance(item, ToolResultMessage)]
    assert [item.content for item in results] == [(Text("a"),), (Text("denied by you"),)]


async def test_a_new_prompt_gives_waiting_calls_up() -> None:
    session, model = talk(asks_for(call("a")), "fine", gate=AskFirst())

    await session.prompt("hi")
    await session.prompt("never mind")

    assert roles(session) == ["user", "assistant", "toolResult", "user", "assistant"]
    assert session.messages[2] in model.requests[1].messages


async def test_a_listener_that_raises_ends_the_run() -> None:
    session, _ = talk("ok", "ok")

    def refuse(event: LoopEvent) -> None:
        raise PermissionError("no")

    leave = session.subscribe(refuse)
    with pytest.raises(PermissionError):
        await session.prompt("hi")
    leave()

    assert not session.running
    assert (await session.prompt("hi")).reason == "done"


async def test_tools_work_in_the_workspace(tmp_path: Path) -> None:
    session, _ = talk("ok", workspace=tmp_path)

    assert session.tool_context.workspace == tmp_path
    assert session.tool_context.principal.is_owner


async def test_an_abort_of_an_idle_session_is_nothing() -> None:
    session, _ = talk("ok")
    session.abort()

    assert (await session.prompt("hi")).reason == "done"


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(UserError, match="'echo' is used twice"):
        create_agent_session(
            model=SCRIPTED_MODEL, client_or_stream_fn=ScriptedModel(), tools=[echo(), echo()]
        )


async def test_a_function_may_take_no_arguments() -> None:
    async def now() -> str:
        return "noon"

    model = ScriptedModel([asks_for(ToolCall("a", "now")), "ok"])
    session = create_agent_session(
        model=SCRIPTED_MODEL,
        client_or_stream_fn=model,
        tools=[FunctionTool("now", "The time of day.", now)],
    )

    await session.prompt("hi")

    result = session.messages[2]
    assert isinstance(result, ToolResultMessage)
    assert result.content == (Text("noon"),)
