"""Calling a hook: everybody who listens, in the way of the hook's class.

A handler that throws or is too slow changes nothing, and the product goes on; only hooks that
fail closed (before_tool_call) block what was about to happen then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.hooks.context import HookContext
from agents.hooks.names import HookClass, hook_named
from agents.hooks.one_call import Called, Stopwatch, handler_call, handler_call_now
from agents.hooks.registry import HOOKS, Event, Handler


async def hook_observe(name: str, event: Event, ctx: HookContext) -> None:
    """Calls all handlers side by side and returns when each has ended or is out of time.

    Never raises for what they do. Raises ValueError when the hook is not an observing one.
    """
    handlers = _handlers(name, "observe")
    if handlers:
        await asyncio.gather(*(_observed(handler, event, ctx) for handler in handlers))


async def hook_modify(name: str, event: Event, ctx: HookContext) -> Mapping[str, Any]:
    """Calls the handlers one after another and returns their merged result, {} for none.

    A terminal decision ends the round. For a hook that fails closed, a failing handler is such a
    decision: `block` is true and `blockReason` says which handler failed and why.
    """
    merged: dict[str, Any] = {}
    for handler in _handlers(name, "modify"):
        watch = Stopwatch()
        called = await handler_call(handler, event, ctx)
        if _merge(handler, called, merged, watch, ctx):
            break
    return merged


async def hook_claim(name: str, event: Event, ctx: HookContext) -> Mapping[str, Any] | None:
    """Asks one handler after another; returns the first result with `handled` true, else None."""
    for handler in _handlers(name, "claim"):
        watch = Stopwatch()
        called = await handler_call(handler, event, ctx)
        handled = called.result.get("handled") is True
        note = "handled it" if handled else called.note
        watch.record(handler, replace(called, note=note), ctx)
        if handled:
            return called.result
    return None


def hook_transform(name: str, event: Event, ctx: HookContext) -> Mapping[str, Any]:
    """Calls the handlers of a synchronous hook on this thread; each sees what the one before made.

    Returns the merged result, {} when nobody changed anything. Never raises for what they do.
    """
    merged: dict[str, Any] = {}
    for handler in _handlers(name, "synchronous"):
        watch = Stopwatch()
        seen = {**event, **{key: merged[key] for key in event if key in merged}}
        called = handler_call_now(handler, seen, ctx)
        if _merge(handler, called, merged, watch, ctx):
            break
    return merged


async def _observed(handler: Handler, event: Event, ctx: HookContext) -> None:
    watch = Stopwatch()
    watch.record(handler, await handler_call(handler, event, ctx), ctx)


def _merge(
    handler: Handler, called: Called, merged: dict[str, Any], watch: Stopwatch, ctx: HookContext
) -> bool:
    """Records a call and adds its result; true when no further handler is to be asked."""
    if called.failed and handler.hook.fails_closed:
        watch.record(handler, called, ctx)
        merged.update(block=True, blockReason=closed_reason(handler, called))
        return True
    ends = handler.hook.merge.add(merged, called.result)
    watch.record(handler, _as_blocked(called) if ends else called, ctx)
    return ends


def _as_blocked(called: Called) -> Called:
    reasons = ("blockReason", "cancelReason", "error")
    stated = [str(called.result[key]) for key in reasons if called.result.get(key)]
    return replace(called, outcome="blocked", note=stated[0] if stated else called.note)


def closed_reason(handler: Handler, called: Called) -> str:
    """Why a call is blocked although no handler decided so."""
    return (
        f"The hook {handler.hook.name!r} of {handler.name} failed ({called.note}), and what it "
        "was to judge is not done without it."
    )


def _handlers(name: str, kind: HookClass) -> tuple[Handler, ...]:
    # A misspelt name or a wrong class is noticed before anybody listens.
    hook = hook_named(name)
    if hook.kind != kind:
        raise ValueError(f"The hook {name!r} is called as {kind}, but it is {hook.kind}.")
    return HOOKS.handlers(name)
