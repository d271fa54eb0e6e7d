"""Hooks that change: one after another, highest priority first, merged by the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agents.hooks import HOOKS, HookContext, HookRecord, hook_modify
from agents.hooks.registry import Answer, Event, HandlerFn
from tests.agents.hooks.conftest import PLUGIN


def on(name: str, answer: Any, priority: int = 0, seen: list[str] | None = None) -> None:
    """A handler that returns `answer` and notes the priority it was registered with."""

    def handler(event: Event, ctx: HookContext) -> Answer:
        if seen is not None:
            seen.append(str(priority))
        result: Answer = answer
        return result

    HOOKS.on(name, handler, priority=priority, plugin=PLUGIN)


async def test_it_works(ctx: HookContext, records: list[HookRecord]) -> None:
    """The one of the higher priority comes first and wins; each call is noted."""
    seen: list[str] = []
    on("before_model_resolve", {"modelOverride": "low", "providerOverride": "p"}, 1, seen)
    on("before_model_resolve", {"modelOverride": "high"}, 9, seen)
    merged = await hook_modify("before_model_resolve", {"prompt": "hi"}, ctx)
    assert merged == {"modelOverride": "high", "providerOverride": "p"}
    assert seen == ["9", "1"]
    assert [(record.outcome, record.note) for record in records] == [
        ("done", "set modelOverride"),
        ("done", "set modelOverride, providerOverride"),
    ]
    assert all(record.duration_ms >= 0 for record in records)


# Hook, the results in order of priority, what they become.
MERGES: list[tuple[str, list[Mapping[str, Any] | None], dict[str, Any]]] = [
    ("before_prompt_build", [{"systemPrompt": "a"}, {"systemPrompt": "b"}], {"systemPrompt": "a"}),
    ("before_prompt_build", [{"systemPrompt": None}, {"systemPrompt": "b"}], {"systemPrompt": "b"}),
    (
        "before_prompt_build",
        [{"prependContext": "a", "appendSystemContext": "x"}, None, {"prependContext": "b"}],
        {"prependContext": "a\n\nb", "appendSystemContext": "x"},
    ),
    ("before_agent_start", [{"modelOverride": "m", "appendContext": "c"}], {
        "modelOverride": "m", "appendContext": "c",
    }),
    ("message_sending", [{"content": "a"}, {"content": "b"}], {"content": "b"}),
    ("message_sending", [{"cancel": True}, {"content": "b"}], {"cancel": True}),
    ("message_sending", [{"cancel": False}, {"content": "b"}], {"content": "b"}),
    ("before_tool_call", [{"params": {"n": 1}}, {"params": {"n": 2}}], {"params": {"n": 2}}),
    (
        "before_tool_call",
        [{"block": True, "blockReason": "no"}, {"params": {"n": 2}}],
        {"block": True, "blockReason": "no"},
    ),
    (
        "before_tool_call",
        [{"block": False, "blockReason": "perhaps"}, {"params": {"n": 2}}],
        {"params": {"n": 2}},
    ),
    (
        "before_tool_call",
        [{"requireApproval": {"title": "a"}}, {"requireApproval": {"title": "b"}}],
        {"requireApproval": {"title": "a"}},
    ),
    (
        "before_agent_finalize",
        [{"action": "revise", "reason": "a"}, {"action": "revise", "reason": "b"}],
        {"action": "revise", "reason": "a\n\nb"},
    ),
    (
        "before_agent_finalize",
        [{"action": "revise"}, {"action": "finalize"}, {"action": "continue"}],
        {"action": "finalize"},
    ),
    ("before_install", [{"findings": ["a"]}, {"findings": ["b"]}], {"findings": ["a", "b"]}),
    (
        "subagent_spawning",
        [{"status": "error", "error": "no"}, {"status": "ok"}],
        {"status": "error", "error": "no"},
    ),
    ("agent_turn_prepare", [{"modelOverride": "m"}], {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "results", "expected"), MERGES)
async def test_results_become_one(
    ctx: HookContext, name: str, results: list[Any], expected: dict[str, Any]
) -> None:
    """The merge table."""
    for place, result in enumerate(results):
        on(name, result, priority=100 - place)
    assert await hook_modify(name, {}, ctx) == expected


async def test_a_decision_ends_the_round(ctx: HookContext, records: list[HookRecord]) -> None:
    """Nobody behind a block is asked, and the record says who blocked and why."""
    seen: list[str] = []
    on("before_tool_call", {"block": True, "blockReason": "not on Sundays"}, 2, seen)
    on("before_tool_call", {"params": {}}, 1, seen)
    await hook_modify("before_tool_call", {}, ctx)
    assert seen == ["2"]
    assert [(record.outcome, record.note) for record in records] == [("blocked", "not on Sundays")]


async def test_a_handler_may_be_a_coroutine_or_an_object(ctx: HookContext) -> None:
    """Functions, coroutine functions and objects that can be called."""

    async def waits(event: Event, ctx: HookContext) -> Answer:
        return {"appendContext": f"{event['prompt']} {ctx.run_id}"}

    class Callable:
        async def __call__(self, event: Event, ctx: HookContext) -> Answer:
            return {"appendContext": "object"}

    handlers: list[HandlerFn] = [waits, Callable()]
    for handler in handlers:
        HOOKS.on("agent_turn_prepare", handler, plugin=PLUGIN)
    merged = await hook_modify("agent_turn_prepare", {"prompt": "hi"}, ctx)
    assert merged == {"appendContext": "hi run-1\n\nobject"}


async def test_each_handler_gets_an_event_of_its_own(ctx: HookContext) -> None:
    """What one does to its event nobody else sees."""
    seen: list[Any] = []

    def spoils(event: Any, ctx: HookContext) -> Answer:
        seen.append(event["prompt"])
        event["prompt"] = "spoilt"
        return None

    for _ in range(2):
        HOOKS.on("before_model_resolve", spoils, plugin=PLUGIN)
    await hook_modify("before_model_resolve", {"prompt": "fresh"}, ctx)
    assert seen == ["fresh", "fresh"]
