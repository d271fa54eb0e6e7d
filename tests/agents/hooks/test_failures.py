"""Handlers that throw, hang or answer nonsense: only before_tool_call blocks then."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pytest

from agents.hooks import (
    HOOKS,
    HookContext,
    HookRecord,
    hook_claim,
    hook_modify,
    hook_observe,
    hook_transform,
)
from agents.hooks.names import HOOK_TABLE
from agents.hooks.registry import Answer, Event, HandlerFn
from tests.agents.hooks.conftest import PLUGIN

OPEN = [n for n, hook in HOOK_TABLE.items() if hook.kind == "modify" and not hook.fails_closed]


def throws(event: Event, ctx: HookContext) -> Answer:
    """A broken handler."""
    raise RuntimeError("broken")


def leaves(event: Event, ctx: HookContext) -> Answer:
    """A handler that would end the process."""
    sys.exit(3)


async def leaves_later(event: Event, ctx: HookContext) -> Answer:
    """A handler that would end the event loop."""
    sys.exit(3)


async def hangs(event: Event, ctx: HookContext) -> Answer:
    """A handler that never ends."""
    await asyncio.Event().wait()
    return None


async def clings(event: Event, ctx: HookContext) -> Answer:
    """A handler that does not let itself be cancelled at once."""
    for _ in range(3):
        try:
            await asyncio.sleep(0.5)
        except asyncio.CancelledError:
            continue
    return {"block": False}


def says_text(event: Event, ctx: HookContext) -> Any:
    """A handler that answers with something that is no mapping."""
    return "block"


def says_block_in_words(event: Event, ctx: HookContext) -> Answer:
    """A handler whose decision is not a truth value."""
    return {"block": "false"}


async def test_it_works(ctx: HookContext, records: list[HookRecord]) -> None:
    """A throw in before_tool_call blocks the call and says whose fault it is."""
    HOOKS.on("before_tool_call", throws, plugin=PLUGIN)
    merged = await hook_modify("before_tool_call", {"toolName": "exec"}, ctx)
    assert merged["block"] is True
    assert "under-test:throws failed (RuntimeError: broken)" in merged["blockReason"]
    assert [record.outcome for record in records] == ["failed"]


@pytest.mark.parametrize(
    "handler",
    [throws, leaves, leaves_later, hangs, clings, says_text, says_block_in_words],
)
async def test_every_failure_closes(
    ctx: HookContext, records: list[HookRecord], handler: HandlerFn
) -> None:
    """Whatever goes wrong in a judge of tool calls, the call is not made."""
    seen: list[int] = []
    HOOKS.on("before_tool_call", handler, priority=1, timeout_seconds=0.05, plugin=PLUGIN)
    HOOKS.on("before_tool_call", lambda event, ctx: seen.append(1), plugin=PLUGIN)
    assert (await hook_modify("before_tool_call", {}, ctx))["block"] is True
    assert seen == []
    assert records[0].outcome in ("failed", "timeout")


@pytest.mark.parametrize("name", OPEN)
async def test_all_others_stay_open(ctx: HookContext, name: str) -> None:
    """A broken handler changes nothing, and the next one still acts."""
    key = next(iter(HOOK_TABLE[name].merge.rules))
    HOOKS.on(name, throws, priority=2, plugin=PLUGIN)
    HOOKS.on(name, hangs, priority=1, timeout_seconds=0.05, plugin=PLUGIN)
    HOOKS.on(name, lambda event, ctx: {key: "x"}, plugin=PLUGIN)
    assert await hook_modify(name, {}, ctx) == {key: "x"}


async def test_an_observer_disturbs_nobody(ctx: HookContext, records: list[HookRecord]) -> None:
    """The others are called all the same."""
    seen: list[int] = []
    HOOKS.on("agent_end", throws, plugin=PLUGIN)
    HOOKS.on("agent_end", hangs, timeout_seconds=0.05, plugin=PLUGIN)
    HOOKS.on("agent_end", lambda event, ctx: seen.append(1), plugin=PLUGIN)
    await hook_observe("agent_end", {}, ctx)
    assert seen == [1]
    assert sorted(record.outcome for record in records) == ["done", "failed", "timeout"]


async def test_observers_run_side_by_side(ctx: HookContext) -> None:
    """Each waits for the other: one after another they would never end."""
    met = threading.Barrier(2, timeout=20)

    def waits(event: Event, ctx: HookContext) -> Answer:
        met.wait()
        return None

    for _ in range(2):
        HOOKS.on("llm_input", waits, plugin=PLUGIN)
    await hook_observe("llm_input", {}, ctx)
    assert not met.broken


async def test_a_broken_claim_passes_on(ctx: HookContext) -> None:
    """Only {"handled": true} is a claim."""
    HOOKS.on("before_dispatch", throws, priority=3, plugin=PLUGIN)
    HOOKS.on("before_dispatch", lambda event, ctx: {"handled": 1}, priority=2, plugin=PLUGIN)
    HOOKS.on("before_dispatch", lambda event, ctx: {"handled": True, "text": "mine"}, plugin=PLUGIN)
    HOOKS.on("before_dispatch", throws, priority=-1, plugin=PLUGIN)
    assert await hook_claim("before_dispatch", {}, ctx) == {"handled": True, "text": "mine"}


def test_a_synchronous_hook_waits_for_nothing(ctx: HookContext, records: list[HookRecord]) -> None:
    """An awaitable is dropped with a word about it; a throw changes nothing."""

    async def later(event: Event, ctx: HookContext) -> Answer:
        return {"message": {"role": "user"}}

    HOOKS.on("tool_result_persist", later, priority=2, plugin=PLUGIN)
    HOOKS.on("tool_result_persist", throws, priority=1, plugin=PLUGIN)
    HOOKS.on("tool_result_persist", leaves, plugin=PLUGIN)
    assert hook_transform("tool_result_persist", {"message": {}}, ctx) == {}
    assert [record.outcome for record in records] == ["failed"] * 3
    assert "awaitable" in records[0].note


def test_synchronous_handlers_see_each_others_work(ctx: HookContext) -> None:
    """Each gets the message as the one before left it."""

    def adds(letter: str) -> HandlerFn:
        return lambda event, ctx: {"message": event["message"] + letter}

    for letter in "ab":
        HOOKS.on("before_message_write", adds(letter), plugin=PLUGIN)
    assert hook_transform("before_message_write", {"message": "-"}, ctx) == {"message": "-ab"}


async def test_a_recorder_that_fails_stops_nothing() -> None:
    """The account is a courtesy."""

    def full(record: HookRecord) -> None:
        raise OSError("full")

    HOOKS.on("agent_turn_prepare", lambda event, ctx: {"appendContext": "x"}, plugin=PLUGIN)
    merged = await hook_modify("agent_turn_prepare", {}, HookContext(record=full))
    assert merged == {"appendContext": "x"}


async def test_a_cancellation_from_outside_passes(ctx: HookContext) -> None:
    """Who waits for a handler can be stopped."""
    begun = asyncio.Event()

    async def waits(event: Event, ctx: HookContext) -> Answer:
        begun.set()
        await asyncio.Event().wait()
        return None

    HOOKS.on("before_tool_call", waits, plugin=PLUGIN)
    task = asyncio.create_task(hook_modify("before_tool_call", {}, ctx))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
