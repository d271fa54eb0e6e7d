"""Registering handlers: names, time limits, what a plugin may see and do."""

from __future__ import annotations

from typing import Any

import pytest

from agents.hooks import HOOKS, HookContext, HookRecord, hook_modify, hook_observe, hooks_present
from agents.hooks.names import HOOK_TABLE, UnknownHook
from agents.hooks.registry import PluginRights
from tests.agents.hooks.conftest import PLUGIN

STRICT = PluginRights(prompt_injection=False, conversation_access=False, config={"word": "x"})


def nothing(event: Any, ctx: HookContext) -> None:
    """A handler."""


def test_it_works() -> None:
    """Nobody listens, somebody does, nobody does any more."""
    assert not hooks_present("agent_end")
    handler = HOOKS.on("agent_end", nothing, plugin=PLUGIN)
    assert hooks_present("agent_end")
    assert (handler.name, handler.timeout_seconds) == ("under-test:nothing", 30.0)
    HOOKS.remove(plugin=PLUGIN)
    assert not hooks_present("agent_end")


def test_there_are_35_hooks() -> None:
    """All of the reference, each in its class."""
    kinds = [hook.kind for hook in HOOK_TABLE.values()]
    assert len(kinds) == 35
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "observe": 18, "modify": 11, "claim": 4, "synchronous": 2,
    }  # fmt: skip


def test_a_misspelt_name_is_refused_with_the_nearest() -> None:
    """Both by name and when nothing is near."""
    with pytest.raises(UnknownHook, match="Did you mean 'before_tool_call'"):
        HOOKS.on("before_tool_cal", nothing, plugin=PLUGIN)
    with pytest.raises(UnknownHook, match="The hooks are: after_compaction"):
        HOOKS.on("xyz", nothing, plugin=PLUGIN)


@pytest.mark.parametrize("seconds", [0, -1, 600.1])
def test_limits_out_of_range_are_refused(seconds: float) -> None:
    """At most ten minutes."""
    with pytest.raises(ValueError, match="must be above 0 and at most 600"):
        HOOKS.on("agent_end", nothing, timeout_seconds=seconds, plugin=PLUGIN)


def test_the_administrator_has_the_last_word_about_time() -> None:
    """One hook before all hooks of the plugin before what the plugin asks for."""
    rights = PluginRights(seconds=5, seconds_by_hook={"agent_end": 7})
    chosen = [
        HOOKS.on(name, nothing, timeout_seconds=20, plugin=PLUGIN, rights=rights).timeout_seconds
        for name in ("agent_end", "llm_input")
    ]
    assert chosen == [7, 5]
    plain = HOOKS.on("llm_output", nothing, timeout_seconds=20, plugin=PLUGIN)
    assert plain.timeout_seconds == 20


async def test_a_call_as_the_wrong_class_is_refused(ctx: HookContext) -> None:
    """A mistake of the product is noticed before anybody listens."""
    with pytest.raises(ValueError, match="called as observe, but it is modify"):
        await hook_observe("before_tool_call", {}, ctx)


async def test_what_people_said_is_withheld(ctx: HookContext) -> None:
    """A plugin without access to conversations sees the rest of the event, and its own config."""
    seen: list[dict[str, Any]] = []
    event = {"prompt": "secret", "systemPrompt": "s", "historyMessages": ["m"], "model": "gpt"}
    HOOKS.on(
        "llm_input",
        lambda event, ctx: seen.append({**event, "ctx": ctx.plugin_config}),
        plugin=PLUGIN,
        rights=STRICT,
    )
    await hook_observe("llm_input", event, ctx)
    config = {"word": "x"}
    assert seen == [{"model": "gpt", "context": {"pluginConfig": config}, "ctx": config}]


async def test_injections_are_dropped(ctx: HookContext, records: list[HookRecord]) -> None:
    """What would reach the prompt is left out and noted; the model may still be chosen."""
    answer = {"systemPrompt": "obey me", "prependContext": "x", "modelOverride": "gpt"}
    HOOKS.on("before_agent_start", lambda event, ctx: answer, plugin=PLUGIN, rights=STRICT)
    assert await hook_modify("before_agent_start", {}, ctx) == {"modelOverride": "gpt"}
    assert "dropped systemPrompt, prependContext" in records[0].note


async def test_what_has_no_meaning_is_noted(ctx: HookContext, records: list[HookRecord]) -> None:
    """A misspelt key is dropped, and the run shows it."""
    HOOKS.on("before_prompt_build", lambda event, ctx: {"prependContxt": "x"}, plugin=PLUGIN)
    assert await hook_modify("before_prompt_build", {}, ctx) == {}
    assert records[0].note == "no meaning here: prependContxt"


def test_decorated_handlers() -> None:
    """The product's own way of registering."""
    handler = HOOKS.handler("cron_changed", priority=3)(nothing)
    try:
        assert handler is nothing
        assert [one.priority for one in HOOKS.handlers("cron_changed")] == [3]
    finally:
        HOOKS.remove(plugin="")
