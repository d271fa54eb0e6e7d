"""One call of one handler: what it may see, how long it may take, what is noted of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from typing import Any

import structlog

from agents.hooks.context import HookContext, HookOutcome, HookRecord
from agents.hooks.registry import Event, Handler

# A handler that hangs keeps its thread until it ends; others must still find one.
THREADS = 32
LONGEST_NOTE = 300

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Called:
    """What came of a call. `result` is {} unless the handler returned a mapping."""

    outcome: HookOutcome
    result: Mapping[str, Any]
    note: str = ""

    @property
    def failed(self) -> bool:
        """Whether the handler threw, was too slow or answered with nonsense."""
        return self.outcome in ("failed", "timeout")


async def handler_call(handler: Handler, event: Event, ctx: HookContext) -> Called:
    """Calls a handler within its time limit; functions run in a thread, coroutines on this loop.

    Never raises for what the handler does; a cancellation from outside is passed on. What did not
    end in time is cancelled and no longer waited for. The call is not recorded yet.
    """
    task = asyncio.ensure_future(_run(handler, event, ctx))
    try:
        done, _pending = await asyncio.wait({task}, timeout=handler.timeout_seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not done:
        task.cancel()
        task.add_done_callback(_end_unheard)
        return Called("timeout", {}, f"not done within {handler.timeout_seconds:g} s")
    return _outcome(handler, task)


def handler_call_now(handler: Handler, event: Event, ctx: HookContext) -> Called:
    """Calls a handler of a synchronous hook on this very thread. Never raises.

    It cannot be interrupted; one that took longer than its limit is only noted. An awaitable that
    it returns is dropped with a warning.
    """
    began = time.perf_counter()
    try:
        answer = handler.function(*_shown(handler, event, ctx))
    except SystemExit as error:
        return _failed(handler, error)
    except Exception as error:  # noqa: BLE001 - whatever a plugin does, the product goes on
        return _failed(handler, error)
    if isawaitable(answer):
        if iscoroutine(answer):
            answer.close()
        note = "returned an awaitable, which this hook never waits for: ignored"
        log.warning("hook_ignored", hook=handler.hook.name, handler=handler.name, note=note)
        return Called("failed", {}, note)
    called = _read(handler, answer)
    took = time.perf_counter() - began
    if took > handler.timeout_seconds:
        note = f"took {took:.1f} s of {handler.timeout_seconds:g} s; {called.note}".rstrip("; ")
        return replace(called, note=note)
    return called


class Stopwatch:
    """The times of one call, for its record."""

    def __init__(self) -> None:
        self.started_at = datetime.now(UTC)
        self._began = time.perf_counter()

    def record(self, handler: Handler, called: Called, ctx: HookContext) -> None:
        """Tells the context's recorder. Never raises."""
        record = HookRecord(
            hook=handler.hook.name,
            handler=handler.name,
            outcome=called.outcome,
            note=called.note[:LONGEST_NOTE],
            started_at=self.started_at,
            duration_ms=(time.perf_counter() - self._began) * 1000,
        )
        try:
            ctx.record(record)
        except Exception:  # an account that cannot be kept must stop nothing
            log.exception("hook_not_recorded", hook=record.hook, handler=record.handler)


async def _run(handler: Handler, event: Event, ctx: HookContext) -> Any:
    shown, context = _shown(handler, event, ctx)
    try:
        if _is_async(handler.function):
            return await handler.function(shown, context)  # type: ignore[misc]
        # A blocking call on the loop would stop every turn of the worker.
        call = partial(copy_context().run, handler.function, shown, context)
        answer = await asyncio.get_running_loop().run_in_executor(_threads(), call)
        return await answer if isawaitable(answer) else answer
    except SystemExit as error:
        # In a task it would end the whole event loop.
        raise RuntimeError(f"SystemExit: {error}") from error


def _end_unheard(task: asyncio.Future[Any]) -> None:
    """Takes what a handler raises after its time, or asyncio complains that nobody did."""
    if not task.cancelled():
        task.exception()


def _is_async(function: Any) -> bool:
    return iscoroutinefunction(function) or iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - the method itself is wanted
    )


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="hooks")


def _shown(handler: Handler, event: Event, ctx: HookContext) -> tuple[Event, HookContext]:
    """Event and context as this handler may see them; each gets dictionaries of its own."""
    rights = handler.rights
    if rights.conversation_access:
        shown = dict(event)
    else:
        withheld = handler.hook.conversation
        shown = {key: value for key, value in event.items() if key not in withheld}
    if handler.plugin:
        shown["context"] = {"pluginConfig": rights.config}
        ctx = replace(ctx, plugin_config=rights.config)
    return shown, ctx


def _outcome(handler: Handler, task: asyncio.Future[Any]) -> Called:
    if task.cancelled():
        return Called("failed", {}, "cancelled itself")
    error = task.exception()
    if error is not None:
        return _failed(handler, error)
    return _read(handler, task.result())


def _failed(handler: Handler, error: BaseException) -> Called:
    log.warning(
        "hook_failed",
        hook=handler.hook.name,
        handler=handler.name,
        exc_info=(type(error), error, error.__traceback__),
    )
    text = str(error) or "without a text"
    return Called("failed", {}, f"{type(error).__name__}: {text}")


def _read(handler: Handler, answer: Any) -> Called:
    if answer is None or handler.hook.kind == "observe":
        return Called("done", {})
    if not isinstance(answer, Mapping):
        return Called("failed", {}, f"returned {type(answer).__name__}, not a mapping or None")
    if handler.hook.fails_closed and not isinstance(answer.get("block"), bool | None):
        # Whoever says "block" in some other way hardly means "go on".
        return Called("failed", {}, "block must be true or false")
    if handler.rights.prompt_injection or not handler.hook.injects:
        return Called("done", answer, _changes(handler, answer))
    injects = handler.hook.injects
    kept = {key: value for key, value in answer.items() if key not in injects}
    dropped = [key for key in answer if key in injects]
    note = _changes(handler, kept)
    if dropped:
        said = f"not allowed to inject into the prompt: dropped {', '.join(dropped)}"
        note = f"{note}; {said}" if note else said
    return Called("done", kept, note)


def _changes(handler: Handler, answer: Mapping[str, Any]) -> str:
    given = [str(key) for key, value in answer.items() if value is not None]
    unknown = [] if handler.hook.kind == "claim" else handler.hook.merge.unknown(answer)
    known = [key for key in given if key not in unknown]
    parts = [f"set {', '.join(known)}"] if known else []
    if unknown:
        parts.append(f"no meaning here: {', '.join(map(str, unknown))}")
    return "; ".join(parts)
