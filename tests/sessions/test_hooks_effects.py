"""What plugins change in a real run: the model, the prompt, tool calls, what is stored."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import Entry, HookCall, ModelCall, Run, ToolCall
from tests.model_server.fixture import ModelServer
from tests.sessions.hook_plugin import Recorder
from tests.sessions.stage import KEY, Stage

TOOL = '[[tool:exec {"command":"echo hello"}]]'


async def work(stage: Stage, text: str) -> Run:
    """A message worked to the end of its run."""
    engine = stage.engines[0] if stage.engines else await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.run is not None
    return item.run


def tool_calls(run: Run) -> list[ToolCall]:
    """The tool calls of a run."""
    return list(ToolCall.objects.filter(run=run).order_by("id"))


def hook_calls(run: Run, hook: str) -> list[HookCall]:
    """What is recorded of one hook."""
    return list(HookCall.objects.filter(run=run, hook=hook).order_by("number"))


async def test_it_works(stage: Stage, recorder: Recorder, model_server: ModelServer) -> None:
    """A plugin's words reach the model on both sides of the prompt, and not the transcript."""
    await run_db(recorder.load)
    recorder.answers(
        before_prompt_build={
            "prependContext": "BEFORE",
            "appendContext": "BEHIND",
            "prependSystemContext": "FIRST OF ALL",
            "appendSystemContext": "LAST OF ALL",
        },
        agent_turn_prepare={"prependContext": "EARLIER"},
    )
    model_server.reset()
    await work(stage, f"{TOOL} [[final:done]]")
    requests = [request["body"]["messages"] for request in model_server.requests()]
    assert len(requests) == 2
    for messages in requests:
        assert messages[0]["content"].startswith("FIRST OF ALL\n\n")
        assert messages[0]["content"].endswith("\n\nLAST OF ALL")
        prompt = f"EARLIER\n\nBEFORE\n\n{TOOL} [[final:done]]\n\nBEHIND"
        assert messages[1]["content"] == prompt
    assert recorder.names.count("before_prompt_build") == 1
    assert (await stage.entries())[0] == ("user", f"{TOOL} [[final:done]]")


async def test_another_system_prompt(
    stage: Stage, recorder: Recorder, model_server: ModelServer
) -> None:
    """The first of the hooks that gives one has it."""
    await run_db(recorder.load)
    recorder.answers(
        before_agent_start={"systemPrompt": "You are a parrot."},
        before_prompt_build={"systemPrompt": "You are a fish."},
    )
    model_server.reset()
    await work(stage, "hello")
    (request,) = model_server.requests()
    assert request["body"]["messages"][0]["content"] == "You are a parrot."


async def test_without_leave_nothing_is_injected(
    stage: Stage, recorder: Recorder, model_server: ModelServer
) -> None:
    """allowPromptInjection false: the prompt is as it was, and the run says what was dropped."""
    await run_db(lambda: recorder.load(allowPromptInjection=False))
    recorder.answers(before_prompt_build={"systemPrompt": "Obey.", "prependContext": "Obey!"})
    model_server.reset()
    run = await work(stage, "hello")
    (request,) = model_server.requests()
    assert "Obey" not in json.dumps(request["body"])
    (call,) = await run_db(lambda: hook_calls(run, "before_prompt_build"))
    assert "dropped systemPrompt, prependContext" in call.note


async def test_without_leave_nothing_is_read(stage: Stage, recorder: Recorder) -> None:
    """allowConversationAccess false: not a word of anybody in any event."""
    await run_db(lambda: recorder.load(allowConversationAccess=False))
    await work(stage, "[[think:pondering]] [[echo:a secret answer]] a secret question")
    await stage.until(lambda: "agent_end" in recorder.names)
    for name in set(recorder.names):
        for event in recorder.events(name):
            assert "secret" not in json.dumps(event, default=str), name
            assert "pondering" not in json.dumps(event, default=str), name


async def test_another_model(stage: Stage, recorder: Recorder, model_server: ModelServer) -> None:
    """It is called, and run and call name it."""
    await run_db(recorder.load)
    recorder.answers(
        before_model_resolve={"modelOverride": "another"},
        before_agent_start={"modelOverride": "third", "providerOverride": "openai"},
    )
    model_server.reset()
    run = await work(stage, "[[echo:hi]]")
    (request,) = model_server.requests()
    assert request["body"]["model"] == "another"
    assert (run.provider, run.model, run.reply) == ("openai", "another", "hi")
    call = await run_db(lambda: ModelCall.objects.get(run=run))
    assert (call.provider, call.model) == ("openai", "another")


async def test_a_model_that_is_not_there(stage: Stage, recorder: Recorder) -> None:
    """The agent's own answers, and the run warns."""
    await run_db(recorder.load)
    recorder.answers(before_model_resolve={"modelOverride": "x", "providerOverride": "nowhere"})
    run = await work(stage, "[[echo:hi]]")
    assert (run.model, run.reply) == ("scripted", "hi")
    assert "A plugin asked for another model" in run.warnings[0]


@pytest.mark.parametrize("hook", ["before_dispatch", "before_agent_reply"])
async def test_an_answer_in_place_of_the_model(
    stage: Stage, recorder: Recorder, model_server: ModelServer, hook: str
) -> None:
    """A claimed message is answered by the plugin; no model is asked."""
    await run_db(recorder.load)
    claims: dict[str, Any] = {hook: {"handled": True, "reply": {"text": "the plugin says hi"}}}
    recorder.answers(**claims)
    model_server.reset()
    run = await work(stage, "hello")
    assert (run.outcome, run.reply) == ("final", "the plugin says hi")
    assert model_server.requests() == []
    assert await run_db(lambda: ModelCall.objects.filter(run=run).count()) == 0
    assert (await stage.entries())[-1] == ("assistant", "the plugin says hi")
    assert await stage.faults() == []


async def test_other_arguments(stage: Stage, recorder: Recorder) -> None:
    """The tool runs with what the plugin made of them, and its row says so."""
    await run_db(recorder.load)
    recorder.answers(before_tool_call={"params": {"command": "echo changed"}})
    run = await work(stage, TOOL)
    assert run.reply.startswith("tool said: changed")
    (call,) = await run_db(lambda: tool_calls(run))
    assert (call.arguments, call.verdict) == ({"command": "echo changed"}, "allow")


# What the hook answers, words of what the model is told.
DENIED: list[tuple[dict[str, Any], str]] = [
    ({"block": True, "blockReason": "not on Sundays"}, "Blocked by a hook: not on Sundays"),
    ({"block": True}, "no reason was given"),
    ({"params": {"cmd": 1}}, "do not fit"),
    ({"params": "echo"}, "not an object"),
    ({"block": "yes"}, "block must be true or false"),
]


@pytest.mark.parametrize(("answer", "words"), DENIED)
async def test_calls_that_are_not_made(
    stage: Stage, recorder: Recorder, answer: dict[str, Any], words: str
) -> None:
    """The model is told why, and nothing runs."""
    await run_db(recorder.load)
    recorder.answers(before_tool_call=answer)
    run = await work(stage, TOOL)
    (call,) = await run_db(lambda: tool_calls(run))
    assert (call.state, call.verdict) == ("denied", "deny")
    assert words in call.verdict_reason
    assert words in run.reply


async def test_a_judge_that_fails_closes(stage: Stage, recorder: Recorder) -> None:
    """A throw blocks the call; the run goes on and shows the failure."""
    await run_db(recorder.load)
    recorder.answers(before_tool_call=lambda event: 1 / 0)
    run = await work(stage, TOOL)
    assert "ZeroDivisionError" in run.reply
    (call,) = await run_db(lambda: hook_calls(run, "before_tool_call"))
    assert (call.outcome, call.note) == ("failed", "ZeroDivisionError: division by zero")


async def test_a_judge_that_hangs_closes(stage: Stage, recorder: Recorder) -> None:
    """After the time that the administrator gave it."""
    await run_db(lambda: recorder.load(["before_tool_call"], timeouts={"before_tool_call": 50}))
    recorder.answers(before_tool_call=lambda event: asyncio.sleep(3600))
    run = await work(stage, TOOL)
    assert "not done within 0.05 s" in run.reply
    (call,) = await run_db(lambda: hook_calls(run, "before_tool_call"))
    assert call.outcome == "timeout"


async def test_all_others_stay_open(stage: Stage, recorder: Recorder) -> None:
    """A plugin that throws everywhere else changes nothing."""
    await run_db(recorder.load)
    names = set(recorder_hooks()) - {"before_tool_call"}
    recorder.answers(**dict.fromkeys(names, lambda event: 1 / 0))
    run = await work(stage, TOOL)
    assert run.reply.startswith("tool said: hello")
    await stage.until(lambda: "agent_end" in recorder.names)
    assert await stage.faults() == []


def recorder_hooks() -> list[str]:
    """Every hook there is."""
    from agents.hooks.names import HOOK_TABLE

    return list(HOOK_TABLE)


async def test_a_stop_does_not_wait_for_a_handler(stage: Stage, recorder: Recorder) -> None:
    """A person who stops the run need not wait for a plugin that hangs."""
    await run_db(recorder.load)
    recorder.answers(before_prompt_build=lambda event: asyncio.sleep(3600))
    engine = await stage.engine()
    accepted = await stage.accept("hello")
    engine.submit(accepted.session_id)
    await stage.until(lambda: "before_prompt_build" in recorder.names)
    engine.control({"t": "stop", "session": accepted.session_id, "kind": "stop"})
    assert (await stage.ended(accepted)).outcome == "stopped"


async def test_what_is_stored_may_be_changed(stage: Stage, recorder: Recorder) -> None:
    """Results and answers, each by its hook; the answer that is told is the one that is stored."""
    await run_db(recorder.load)
    recorder.answers(
        tool_result_persist=lambda event: {"message": replaced(event["message"], "[result]")},
        before_message_write=lambda event: (
            {"message": replaced(event["message"], "[answer]")}
            if event["message"]["role"] == "assistant"
            else None
        ),
    )
    run = await work(stage, TOOL)
    entries = await stage.entries()
    assert [text for role, text in entries if role == "toolResult"] == ["[result]"]
    assert entries[-1] == ("assistant", "[answer]")
    assert run.reply == "[answer]\n\n[answer]"
    bodies = await run_db(
        lambda: list(Entry.objects.filter(role="assistant").order_by("pk").values_list("body"))
    )
    assert [block["type"] for block in bodies[0][0]["content"]] == ["text", "toolCall"]


def replaced(message: dict[str, Any], text: str) -> dict[str, Any]:
    """The message with another text and nothing else, not even its tool calls."""
    return {**message, "content": [{"type": "text", "text": text}]}


async def test_what_is_not_stored(stage: Stage, recorder: Recorder) -> None:
    """A blocked message leaves a note with the reason; calls and results stay pairs."""
    await run_db(recorder.load)
    recorder.answers(before_message_write={"block": True, "blockReason": "private"})
    await work(stage, TOOL)
    texts = [text for role, text in await stage.entries() if role != "user"]
    assert texts == ["[not kept: private]"] * 3
    run = await work(stage, "[[echo:again]]")
    assert run.outcome == "final"


async def test_another_pass(stage: Stage, recorder: Recorder, model_server: ModelServer) -> None:
    """before_agent_finalize sends the answer back, as often as it says and no more."""
    await run_db(recorder.load)
    recorder.answers(
        before_agent_finalize={
            "action": "revise",
            "reason": "too short",
            "retry": {"instruction": "[[echo:a longer answer]]", "maxAttempts": 2},
        }
    )
    run = await work(stage, "[[echo:short]]")
    assert await stage.entries(KEY) == [
        ("user", "[[echo:short]]"),
        ("assistant", "short"),
        ("hook", "[[echo:a longer answer]]"),
        ("assistant", "a longer answer"),
        ("hook", "[[echo:a longer answer]]"),
        ("assistant", "a longer answer"),
    ]
    assert recorder.names.count("before_agent_finalize") == 3
    assert run.reply == "short\n\na longer answer\n\na longer answer"
    calls = await run_db(lambda: list(ModelCall.objects.filter(run=run).order_by("number")))
    assert [call.state for call in calls] == ["done"] * 3
    assert await stage.faults() == []


async def test_slow_observers_hold_nothing_up(stage: Stage, recorder: Recorder) -> None:
    """The run ends while one still works; its row follows."""
    await run_db(recorder.load)
    gate = asyncio.Event()
    recorder.answers(llm_input=lambda event: gate.wait())
    run = await work(stage, "[[echo:hi]]")
    assert run.reply == "hi"
    assert await run_db(lambda: hook_calls(run, "llm_input")) == []
    gate.set()

    async def recorded() -> bool:
        return bool(await run_db(lambda: hook_calls(run, "llm_input")))

    await stage.until(recorded)


async def test_settings_of_another_process_are_not_needed(stage: Stage, recorder: Recorder) -> None:
    """A plugin that is switched off stays loaded until the next start."""
    await run_db(recorder.load)
    await run_db(lambda: config_apply(text=json.dumps({"plugins": {"enabled": False}})))
    await work(stage, "[[echo:hi]]")
    assert "llm_input" in recorder.names
