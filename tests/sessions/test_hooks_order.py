"""Every hook that a run has, fired by a real run: the order, and what handlers are told."""

from __future__ import annotations

from typing import Any

from agents.config.cache import cache_clear
from agents.database import run_db
from agents.hooks.names import HOOK_TABLE
from sessions.hook_posts import gateway_started, gateway_stops
from sessions.models import HookCall, Run
from sessions.people import owner_ensure
from sessions.services import session_reset
from tests.sessions.context_stage import history_write, long_talk
from tests.sessions.hook_plugin import Recorder
from tests.sessions.stage import KEY, Stage

MESSAGE = '[[tool:exec {"command":"echo hello"}]] [[final:done]]'

# A run with one tool call: what is waited for, one after another.
ORDER = [
    "before_model_resolve",
    "before_agent_start",
    "before_dispatch",
    "before_agent_reply",
    "agent_turn_prepare",
    "before_prompt_build",
    "before_message_write",
    "before_tool_call",
    "tool_result_persist",
    "before_message_write",
    "before_message_write",
    "before_agent_finalize",
]
# What runs beside it.
OBSERVED = [
    "llm_input",
    "model_call_started",
    "llm_output",
    "model_call_ended",
    "after_tool_call",
    "llm_input",
    "model_call_started",
    "llm_output",
    "model_call_ended",
    "agent_end",
]
# What each event holds at least.
KEYS: dict[str, set[str]] = {
    "before_model_resolve": {"prompt"},
    "before_agent_start": {"prompt", "messages"},
    "before_dispatch": {"content", "sessionKey", "runId"},
    "before_agent_reply": {"cleanedBody", "sessionKey", "runId"},
    "agent_turn_prepare": {"prompt", "messages"},
    "before_prompt_build": {"prompt", "messages"},
    "llm_input": {
        "runId", "sessionId", "provider", "model", "systemPrompt", "prompt", "historyMessages",
        "imagesCount",
    },
    "llm_output": {
        "runId", "sessionId", "provider", "model", "assistantTexts", "lastAssistant", "usage",
    },
    "model_call_started": {"runId", "sessionId", "callId", "provider", "model", "api"},
    "model_call_ended": {"callId", "durationMs", "outcome", "timeToFirstTokenMs"},
    "before_tool_call": {"toolName", "params", "runId", "toolCallId"},
    "after_tool_call": {"toolName", "params", "runId", "toolCallId", "result", "durationMs"},
    "tool_result_persist": {"toolName", "toolCallId", "message"},
    "before_message_write": {"message"},
    "before_agent_finalize": {"runId", "sessionId", "sessionKey", "lastAssistantMessage"},
    "agent_end": {"runId", "messages", "success", "durationMs"},
    "message_received": {"from", "content", "timestamp", "metadata"},
    "session_start": {"sessionId", "sessionKey", "resumedFrom"},
    "session_end": {"sessionId", "messageCount", "durationMs", "reason"},
    "before_reset": {"messages", "reason"},
    "before_compaction": {"messageCount", "compactingCount", "tokenCount", "messages"},
    "after_compaction": {"messageCount", "compactedCount", "tokenCount"},
    "gateway_start": {"port"},
    "gateway_stop": {"reason"},
}  # fmt: skip
# Called by parts that are not built yet.
LATER = {
    "inbound_claim", "message_sending", "message_sent", "reply_dispatch", "subagent_spawning",
    "subagent_delivery_target", "subagent_spawned", "subagent_ended", "cron_changed",
    "heartbeat_prompt_contribution", "before_install",
}  # fmt: skip


async def test_it_works(stage: Stage, recorder: Recorder) -> None:
    """The hooks of a run come in the order that is written above, and no others of a run do."""
    await run_db(recorder.load)
    engine = await stage.engine()
    accepted = await stage.accept(MESSAGE)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    await stage.until(lambda: "agent_end" in recorder.names)
    assert item.run is not None
    assert item.run.reply == "done"
    waited = [name for name in recorder.names if HOOK_TABLE[name].kind != "observe"]
    assert waited == ORDER
    assert [name for name in recorder.names if name in OBSERVED] == OBSERVED
    assert recorder.names.index("llm_input") > recorder.names.index("before_prompt_build")
    ends = recorder.events("model_call_ended")
    assert [event["outcome"] for event in ends] == ["completed", "completed"]


async def everything(stage: Stage, recorder: Recorder) -> None:
    """Runs, a compaction, a reset, the start and the end of a process."""
    engine = await stage.engine()
    gateway_started("worker")
    await run_db(lambda: history_write(long_talk(200_000), key=KEY))
    accepted = await stage.accept(MESSAGE)
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    await run_db(lambda: session_reset(principal=owner_ensure().principal(), key=KEY, reason="new"))
    gateway_stops("worker")
    late = {"agent_end", "session_end", "before_reset", "gateway_start", "message_received"}
    await stage.until(lambda: late <= set(recorder.names))


async def test_every_hook_is_fired_and_told(stage: Stage, recorder: Recorder) -> None:
    """By name: the keys of each event, and the place in each context."""
    await run_db(recorder.load)
    await everything(stage, recorder)
    assert set(recorder.names) == set(KEYS)
    assert set(KEYS) | LATER == set(HOOK_TABLE)
    for name, keys in KEYS.items():
        for event in recorder.events(name):
            assert keys <= set(event), (name, keys - set(event))
            assert event["context"]["pluginConfig"]["others"]
    for name in set(KEYS) - {"gateway_start", "gateway_stop"}:
        assert {ctx.session_key for ctx in recorder.contexts(name)} == {KEY}, name
        assert {ctx.agent_id for ctx in recorder.contexts(name)} == {"main"}, name


async def test_what_events_say(stage: Stage, recorder: Recorder) -> None:
    """Prompt, arguments, results, answers, numbers."""
    await run_db(recorder.load)
    await everything(stage, recorder)
    one = {name: recorder.events(name)[-1] for name in KEYS}
    assert one["before_model_resolve"]["prompt"] == MESSAGE
    assert one["before_tool_call"]["params"] == {"command": "echo hello"}
    assert one["after_tool_call"]["result"]["content"][0]["text"].startswith("hello")
    assert one["llm_output"]["assistantTexts"] == ["done"]
    assert one["before_agent_finalize"]["lastAssistantMessage"] == "done"
    assert one["agent_end"]["success"] is True
    assert one["message_received"]["content"] == MESSAGE
    assert one["before_reset"]["reason"] == "new"
    assert one["before_reset"]["messages"][-1]["content"][0]["text"] == "done"
    assert one["session_end"]["messageCount"] == len(one["before_reset"]["messages"])
    assert one["before_compaction"]["compactingCount"] > 0
    assert one["after_compaction"]["tokenCount"] < one["before_compaction"]["tokenCount"]


async def test_every_call_has_a_row(stage: Stage, recorder: Recorder) -> None:
    """Numbered, timed, with the run, the message or the session it belongs to."""
    await run_db(recorder.load)
    await everything(stage, recorder)

    def rows() -> list[HookCall]:
        return list(HookCall.objects.select_related("run", "item").order_by("started_at"))

    async def complete() -> bool:
        return len(await run_db(rows)) >= len(recorder.names)

    await stage.until(complete)
    calls = await run_db(rows)
    assert sorted(call.hook for call in calls) == sorted(recorder.names)
    assert {call.outcome for call in calls} == {"done"}
    assert {call.handler for call in calls} == {
        "recorder:plain.recorder",
        "recorder:waiting.recorder",
    }
    run = await run_db(lambda: Run.objects.get())
    mine = [call for call in calls if call.run_id == run.pk]
    assert sorted(call.number for call in mine) == list(range(1, len(mine) + 1))
    places: dict[str, Any] = {call.hook: call for call in calls if call.run_id is None}
    assert set(places) == {
        "message_received", "session_start", "session_end", "before_reset", "gateway_start",
        "gateway_stop",
    }  # fmt: skip
    assert places["message_received"].item.run_id == run.pk
    assert places["session_end"].session_id == run.session_id
    assert places["gateway_start"].session_id is None


async def test_nobody_listens_and_nothing_is_written(stage: Stage) -> None:
    """A run without plugins has no rows of hooks."""
    cache_clear()
    engine = await stage.engine()
    accepted = await stage.accept("[[echo:hi]]")
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    assert await run_db(HookCall.objects.count) == 0
