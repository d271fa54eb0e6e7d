"""Hooks of one run: where they stand in a turn, and the account of their calls.

Observing hooks never hold a turn up: they run beside it. What was not done when the turn ends is
waited for afterwards, in the background, and recorded then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from django.db import DatabaseError
from django.utils.translation import gettext as _

from agents.core.abort import AbortSignal
from agents.core.events import (
    LoopEvent,
    MessageEnd,
    ModelCallStart,
    ToolExecutionEnd,
    ToolExecutionStart,
)
from agents.core.loop_config import MessageSource, nothing
from agents.core.messages import AssistantMessage, Message, Text, ToolCall
from agents.core.model import ModelRequest, StreamFn
from agents.core.tools import ToolGate
from agents.database import run_db
from agents.hooks import (
    HOOKS,
    HookContext,
    hook_claim,
    hook_modify,
    hook_observe,
    hooks_present,
)
from sessions.hook_calls import hook_calls_store
from sessions.models import Run
from sessions.turns import hook_events as events
from sessions.turns.emitter import Emitter
from sessions.turns.finish import Ending
from sessions.turns.hook_context import hook_context
from sessions.turns.hook_gate import HookGate
from sessions.turns.hook_model import turn_model_set
from sessions.turns.hook_model_calls import WatchedStream
from sessions.turns.hook_prompt import PromptParts
from sessions.turns.hook_writes import message_written
from sessions.turns.listener import TurnListener
from sessions.turns.revision import revision_commit
from sessions.turns.turn import Turn

# How often one run may be sent back by before_agent_finalize, whatever handlers ask for.
MOST_REVISIONS = 10
R = TypeVar("R")
ListenFn = Callable[[LoopEvent], Awaitable[None]]

# Work that outlives its turn; a task that nobody holds may be collected.
_behind: set[asyncio.Task[None]] = set()


class TurnHooks:
    """The hooks of one turn. Everything returns what it was given when nobody listens.

    Belongs to one event loop. A stop of the run ends the waiting for a handler at once.
    """

    def __init__(self, turn: Turn, signal: AbortSignal) -> None:
        self._turn = turn
        self._signal = signal
        self._is_active = HOOKS.any_present()
        self._ctx = hook_context(turn) if self._is_active else HookContext()
        self._tasks: set[asyncio.Task[None]] = set()
        self._early = PromptParts()
        self._parts: PromptParts | None = None
        self._prompt = events.prompt_of(turn.history) if self._is_active else None
        self._began = time.perf_counter()
        self._tools_began: dict[str, float] = {}
        self._revisions: dict[str, int] = {}

    async def begin(self, emitter: Emitter) -> AssistantMessage | None:
        """Asks for the model and for an answer in its place; the answer when one was given.

        A model that cannot be found is left out with a warning of the run. Raises LeaseLostError.
        """
        if not self._is_active:
            return None
        if ref := await self._model_wanted():
            problem = await run_db(turn_model_set, self._turn, ref)
            if problem:
                said = _("A plugin asked for another model: %(problem)s")
                self._turn.warnings.append(said % {"problem": problem})
            elif (model := self._turn.model) is not None:
                emitter.emit("run.model", provider=model.provider, model=model.id)
        return await self._reply_claimed()

    async def _model_wanted(self) -> str:
        """The model that before_model_resolve or before_agent_start ask for, "" for none."""
        wanted: dict[str, Any] = {}
        messages = self._turn.history
        if hooks_present("before_model_resolve"):
            event = events.resolve_event(messages)
            wanted.update(await self._modify("before_model_resolve", event))
        if hooks_present("before_agent_start"):
            result = await self._modify("before_agent_start", events.prompt_event(messages))
            self._early = self._early.add(result)
            wanted = {**result, **wanted}
        return _reference(wanted, self._turn)

    async def _reply_claimed(self) -> AssistantMessage | None:
        """The answer that before_dispatch or before_agent_reply give in place of the model."""
        prompt = events.prompt_text(self._turn.history)
        for name, key in (("before_dispatch", "content"), ("before_agent_reply", "cleanedBody")):
            if not hooks_present(name):
                continue
            event = {key: prompt, "sessionKey": self._ctx.session_key, "runId": self._ctx.run_id}
            claimed = await self._unless_aborted(hook_claim(name, event, self._ctx))
            if claimed is not None:
                return _claimed_answer(claimed)
        return None

    async def shaped(self, request: ModelRequest) -> ModelRequest:
        """The request with what plugins add to the prompt; they are asked once a turn."""
        if not self._is_active:
            return request
        if self._parts is None:
            self._parts = await self._ask_parts(request.messages)
        return self._parts.shape(request, self._prompt)

    async def _ask_parts(self, messages: Sequence[Message]) -> PromptParts:
        parts = self._early
        for name in ("agent_turn_prepare", "before_prompt_build"):
            if hooks_present(name):
                parts = parts.add(await self._modify(name, events.prompt_event(messages)))
        return parts

    def gate(self, gate: ToolGate) -> ToolGate:
        """`gate` with before_tool_call in front of it."""
        if not hooks_present("before_tool_call"):
            return gate
        return HookGate(gate, self._before_tool)

    async def _before_tool(self, call: ToolCall) -> Mapping[str, Any]:
        event = events.tool_event(self._ctx.run_id, call)
        stopped = {"block": True, "blockReason": "the run was stopped"}
        work = hook_modify("before_tool_call", event, self._ctx)
        return await self._unless_aborted(work) or ({} if not self._signal.aborted else stopped)

    def stream(self, stream: StreamFn) -> StreamFn:
        """`stream` with model_call_started and model_call_ended around each single call."""
        if not (hooks_present("model_call_started") or hooks_present("model_call_ended")):
            return stream
        return WatchedStream(stream, self._ctx.run_id, self._observe)

    def listening(self, listener: ListenFn) -> ListenFn:
        """`listener` behind the hooks that look at what the loop tells, or change what is kept."""
        if not self._is_active:
            return listener

        async def listen(event: LoopEvent) -> None:
            match event:
                case ModelCallStart():
                    if hooks_present("llm_input"):
                        shown = events.input_event(self._ctx.run_id, event.request)
                        self._observe("llm_input", shown)
                case MessageEnd():
                    event = self._message(event)
                case ToolExecutionStart():
                    self._tools_began[event.call.id] = time.perf_counter()
                case ToolExecutionEnd():
                    self._tool_ended(event)
                case _:
                    pass
            await listener(event)

        return listen

    def _message(self, event: MessageEnd) -> MessageEnd:
        message = event.message
        if isinstance(message, AssistantMessage) and hooks_present("llm_output"):
            shown = events.output_event(
                self._ctx.run_id, self._ctx.session_id, message, event.error
            )
            self._observe("llm_output", shown)
        written = message_written(message, self._ctx)
        return event if written is message else replace(event, message=written)

    def _tool_ended(self, event: ToolExecutionEnd) -> None:
        if not hooks_present("after_tool_call"):
            return
        began = self._tools_began.pop(event.call.id, None)
        took = (time.perf_counter() - began) * 1000 if began is not None else 0.0
        run_id = self._ctx.run_id
        self._observe(
            "after_tool_call", events.tool_ended_event(run_id, event.call, event.result, took)
        )

    def follow_up(self, listener: TurnListener) -> MessageSource:
        """What the loop asks before it stops: whether before_agent_finalize wants another pass."""
        if not hooks_present("before_agent_finalize"):
            return nothing

        async def revision() -> Sequence[Message]:
            held = listener.held
            if held is None or listener.error is not None or self._signal.aborted:
                return ()
            session = {"sessionId": self._ctx.session_id, "sessionKey": self._ctx.session_key}
            event = events.finalize_event(self._ctx.run_id, session, held, self._turn.history)
            text = self._instruction(await self._modify("before_agent_finalize", event))
            if not text or self._signal.aborted:
                return ()
            entries, message = await run_db(
                partial(
                    revision_commit,
                    self._turn,
                    held=held,
                    call=listener.call,
                    number=listener.number,
                    text=text,
                )
            )
            listener.answer_stored(held, listener.call or {})
            listener.held, listener.call = None, None
            listener.show(entries)
            return (message,)

        return revision

    def _instruction(self, result: Mapping[str, Any]) -> str:
        """What the model is told to do better, "" to stop. Each request has its own limit."""
        if result.get("action") != "revise":
            return ""
        retry = result.get("retry")
        wanted: Mapping[str, Any] = retry if isinstance(retry, Mapping) else {}
        text = str(wanted.get("instruction") or result.get("reason") or "")
        key = str(wanted.get("idempotencyKey") or text)
        stated = wanted.get("maxAttempts")
        limit = stated if isinstance(stated, int) and stated > 0 else 1
        done = self._revisions.get(key, 0)
        if not text or done >= limit or sum(self._revisions.values()) >= MOST_REVISIONS:
            return ""
        self._revisions[key] = done + 1
        return text

    def ended(self, ending: Ending | None) -> None:
        """The turn is over and stored: calls agent_end and waits for what still runs, behind it.

        None: the turn was left open, for an approval or for another worker.
        """
        if not self._is_active:
            return
        if ending is not None and hooks_present("agent_end"):
            event = {
                "runId": self._ctx.run_id,
                "messages": events.messages_json(self._turn.history),
                "success": ending.outcome == Run.Outcome.FINAL,
                "outcome": str(ending.outcome),
                "durationMs": round((time.perf_counter() - self._began) * 1000),
            }
            error = ending.explanation or (ending.error.message if ending.error else "")
            self._observe("agent_end", event | ({"error": error} if error else {}))
        task = asyncio.create_task(self._close())
        _behind.add(task)
        task.add_done_callback(_behind.discard)

    async def _close(self) -> None:
        while self._tasks:
            await asyncio.wait(set(self._tasks))
        turn = self._turn
        left, turn.hook_calls = turn.hook_calls, []
        with suppress(DatabaseError):
            await run_db(
                partial(hook_calls_store, left, after=turn.hooks_stored, run_id=turn.run.pk)
            )

    def _observe(self, name: str, event: Mapping[str, Any]) -> None:
        if hooks_present(name):
            task = asyncio.create_task(hook_observe(name, event, self._ctx))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _modify(self, name: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._unless_aborted(hook_modify(name, event, self._ctx)) or {}

    async def _unless_aborted(self, work: Coroutine[Any, Any, R]) -> R | None:
        """What `work` gives, None when the run is stopped meanwhile."""
        task = asyncio.create_task(work)
        leave = self._signal.subscribe(lambda: _cancel(task))
        try:
            return await task
        except asyncio.CancelledError:
            me = asyncio.current_task()
            if not self._signal.aborted or (me is not None and me.cancelling()):
                raise
            return None
        finally:
            leave()


def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()


def _reference(wanted: Mapping[str, Any], turn: Turn) -> str:
    """The reference of the wanted model; a provider alone keeps the model's name."""
    model, provider = wanted.get("modelOverride"), wanted.get("providerOverride")
    if not isinstance(model, str) or not model:
        if not isinstance(provider, str) or not provider or turn.model is None:
            return ""
        model = turn.model.id
    return f"{provider}/{model}" if isinstance(provider, str) and provider else model


def _claimed_answer(claimed: Mapping[str, Any]) -> AssistantMessage:
    reply = claimed.get("reply")
    text = reply.get("text") if isinstance(reply, Mapping) else claimed.get("text")
    said = text if isinstance(text, str) else ""
    return AssistantMessage(
        content=(Text(said),) if said else (), provider="openclaw", model="hook"
    )
