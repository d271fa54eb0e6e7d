"""One turn from its beginning to its end, on the worker's event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
from django.utils.translation import gettext as _

from agents.attempts.stream import AttemptStream
from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError, UserError
from agents.core.events import AgentEnd
from agents.core.loop import LoopConfig, LoopContext, run_loop
from agents.core.messages import Message
from agents.core.model import StreamFn
from agents.core.tools import ToolContext
from agents.database import run_db
from agents.providers.wrappers.compose import composed
from agents.providers.wrappers.context import WrapperContext
from agents.selectors import AgentSnapshot
from agents.skills.catalog import SkillSet
from sessions.approvals.gate import ApprovedGate
from sessions.context.job import job_work
from sessions.context.result_caps import capped_tools
from sessions.context.turn_context import TurnContext
from sessions.elevated import elevated_own
from sessions.ended_records import ended_record
from sessions.failpoints import failpoint
from sessions.models import Run
from sessions.turns.asking import model_asker
from sessions.turns.asking_tools import asking_context
from sessions.turns.attempt_host import TurnAttempts
from sessions.turns.claim import FULL
from sessions.turns.emitter import Emitter
from sessions.turns.finish import Ending, turn_finish
from sessions.turns.hooks import TurnHooks
from sessions.turns.listener import TurnListener
from sessions.turns.loop_watch import loop_watch
from sessions.turns.outside_gate import outside_gate
from sessions.turns.request import TurnRequest
from sessions.turns.sandboxes import session_sandbox
from sessions.turns.skills import skilled, turn_skills
from sessions.turns.steering import steered_messages, steering_take
from sessions.turns.turn import Turn
from sessions.turns.writes import run_park
from sessions.wakes import is_wake
from tools.gate import PolicyGate, absence_text
from tools.policy_turns import policy_fetch
from tools.registry import tool_schemas, tools_for
from tools.sandbox.choice import SandboxPlan
from tools.workspace.reach import WHOLE_DISK

log = structlog.get_logger(__name__)

# The words of the protocol for how a run was stopped (gateway.md 3.4).
STOP_REASONS = {"rpc": "rpc", "stop": "stop", "timeout": "timeout", "interrupt": "interrupt"}


async def turn_work(
    turn: Turn,
    signal: AbortSignal,
    stream: StreamFn,
    emitter: Emitter,
    poked: Callable[[], Awaitable[bool]],
) -> bool:
    """Works a turn to its end. False: it was left open (restart, lost lease) for somebody else.

    `poked` tells whether somebody knocked since the lane was taken: only then messages are sought
    to steer by. Raises LeaseLostError when another worker took the session over, and nothing for
    what models and tools do.
    """
    _announce(turn, emitter)
    if turn.failure or turn.model is None or turn.snapshot is None:
        await _end(turn, emitter, Ending(Run.Outcome.ERROR, explanation=turn.failure))
        return True
    if turn.run.stop_kind:
        signal.abort(turn.run.stop_kind)  # type: ignore[arg-type]
    if turn.compacts:
        return await _compaction(turn, turn.snapshot, signal, stream, emitter)
    await policy_fetch(_tool_context(turn, turn.snapshot))
    skills = await turn_skills(turn.snapshot)
    return await _Answering(turn, turn.snapshot, skills, signal, emitter).work(stream, poked)


class _Answering:
    """A turn that answers: everything that looks at it or has a say in it, put together."""

    def __init__(
        self,
        turn: Turn,
        snapshot: AgentSnapshot,
        skills: SkillSet,
        signal: AbortSignal,
        emitter: Emitter,
    ) -> None:
        self._turn = turn
        self._snapshot = snapshot
        self._skills = skills
        self._signal = signal
        self._emitter = emitter
        self._context = skilled(_tool_context(turn, snapshot), skills)
        self._tools = capped_tools(tools_for(self._context))
        self._listener = TurnListener(turn, emitter, self._tools)
        self._hooks = TurnHooks(turn, signal)

    async def work(self, stream: StreamFn, poked: Callable[[], Awaitable[bool]]) -> bool:
        turn, hooks, signal = self._turn, self._hooks, self._signal
        if (reply := await hooks.begin(self._emitter)) is not None:
            return await self._close(Ending(Run.Outcome.FINAL, held=reply))
        calls = hooks.stream(composed(stream, _wrapper_context(turn)))
        window = TurnContext(
            turn=turn,
            snapshot=self._snapshot,
            ask=model_asker(turn, self._listener, calls, signal),
            emitter=self._emitter,
        )
        if (refusal := _window_guard(turn, window)) is not None:
            return await self._close(refusal)
        config = self._config(calls, window, poked)
        listen = hooks.listening(self._listener)
        end = await run_loop(LoopContext(turn.history, answers=turn.answers), config, listen)
        if end.reason != "parked":
            await window.after_turn(turn.history)
        if signal.kind in ("restart", "lease_lost"):
            hooks.ended(None)
            return False
        if end.reason == "parked":
            await run_db(run_park, turn, self._listener.parked)
            hooks.ended(None)
            await self._emitter.drain()
            return True
        return await self._close(await _ending(turn, end, self._listener, signal))

    def _config(
        self, calls: StreamFn, window: TurnContext, poked: Callable[[], Awaitable[bool]]
    ) -> LoopConfig:
        turn, hooks, tools, listener = self._turn, self._hooks, self._tools, self._listener
        schemas, skills = tool_schemas(tools), self._skills.prompt
        request = TurnRequest(turn, self._snapshot, schemas, window, hooks.shaped, skills)
        attempts = TurnAttempts(turn, listener, request, window)
        gate = outside_gate(turn, hooks.gate(PolicyGate()))
        watch = loop_watch(turn, tools, gate, self._signal, lambda: window.last)
        context = asking_context(
            self._context, turn=turn, listener=listener, stream=calls, signal=self._signal
        )
        return LoopConfig(
            stream=AttemptStream(attempts, calls, turn.policy),
            build_request=request.build,
            tools=tools,
            gate=ApprovedGate(watch, turn),
            observe=gate.observing(watch.observe),
            absent=lambda name: absence_text(name, self._context),
            tool_context=window.tool_context(context, turn.model),
            signal=self._signal,
            steering=_steering(turn, listener, poked),
            follow_up=hooks.follow_up(listener),
        )

    async def _close(self, ending: Ending) -> bool:
        await _end(self._turn, self._emitter, ending)
        self._hooks.ended(ending)
        return True


async def _compaction(
    turn: Turn, snapshot: AgentSnapshot, signal: AbortSignal, stream: StreamFn, emitter: Emitter
) -> bool:
    """A compaction that a person asked for; the agent is not asked to answer."""
    listener = TurnListener(turn, emitter, ())
    ask = model_asker(turn, listener, composed(stream, _wrapper_context(turn)), signal)
    window = TurnContext(turn=turn, snapshot=snapshot, ask=ask, emitter=emitter)
    ending = await job_work(turn, window, signal)
    if signal.kind in ("restart", "lease_lost"):
        return False
    if ending is None:
        ending = await _ending(turn, AgentEnd((), "aborted"), listener, signal)
    await _end(turn, emitter, replace(ending, number=listener.closed_number))
    return True


def _announce(turn: Turn, emitter: Emitter) -> None:
    for item in turn.refused:
        emitter.emit_apart(
            ended_record(
                session=turn.session,
                wire=item.wire_id,
                state="error",
                outcome=item.Outcome.REFUSED,
                error=str(FULL),
            )
        )
    text = "\n\n".join(turn.texts)
    started = int(turn.run.started_at.timestamp() * 1000)
    if turn.resumed:
        emitter.emit("run.resume", change="open", value=text, text=text, wires=turn.wires)
    else:
        emitter.emit("run.start", change="open", startedAt=started, wires=turn.wires)
    for entry in turn.new_entries:
        emitter.emit("entry", entry=entry)
    if turn.model is not None:
        emitter.emit("run.model", provider=turn.model.provider, model=turn.model.id)


def _tool_context(turn: Turn, snapshot: AgentSnapshot) -> ToolContext:
    sandbox = session_sandbox(snapshot, turn.session.key)
    return ToolContext(
        agent_id=snapshot.slug,
        session_key=turn.session.key,
        workspace=sandbox.folder if sandbox else Path(snapshot.workspace),
        principal=turn.principal,
        run_id=turn.run.pk,
        channel=_channel(turn),
        model=turn.model.ref if turn.model else "",
        attended=turn.attended,
        sandboxed=sandbox is not None,
        settings=_settings(turn, sandbox),
    )


def _settings(turn: Turn, sandbox: SandboxPlan | None) -> dict[str, Any]:
    if sandbox is not None:
        return {"sandbox": sandbox, "elevated": elevated_own(turn.session)}
    return {WHOLE_DISK: True} if turn.disk_open and turn.principal.is_owner else {}


def _channel(turn: Turn) -> str:
    """Where the turn comes from. An event does not change that: its rules hold on."""
    if turn.items and is_wake(turn.items[0]):
        return str(turn.items[0].origin.get("channel") or turn.run.origin)
    return turn.run.origin


def _wrapper_context(turn: Turn) -> WrapperContext:
    def report(kind: str, facts: Mapping[str, Any]) -> None:
        reasons = ", ".join(str(reason) for reason in facts.get("reasons", ()))
        if kind == "cache_break":
            text = _("The service could not use what it had kept of the prompt: %(what)s changed.")
            turn.warnings.append(text % {"what": reasons})
        else:
            turn.warnings.append(f"{kind}: {facts}")

    return WrapperContext(
        agent=turn.session.agent_slug,
        session_id=turn.transcript_id,
        run_id=turn.run.pk,
        report=report,
    )


def _window_guard(turn: Turn, window: TurnContext) -> Ending | None:
    """The end of a turn whose model has too small a window; None when it may be asked."""
    if turn.model is None:
        return None
    try:
        warning = window.guard(turn.model)
    except UserError as error:
        return Ending(Run.Outcome.ERROR, explanation=error.message)
    if warning:
        turn.warnings.append(warning)
    return None


def _steering(turn: Turn, listener: TurnListener, poked: Callable[[], Awaitable[bool]]) -> Any:
    # Nobody knocks any more for what came while the turn was parked or left.
    unseen = turn.resumed

    async def steering() -> Sequence[Message]:
        nonlocal unseen
        if not unseen and not await poked():
            return ()
        unseen = False
        entries, items = await run_db(
            steering_take, turn, held=listener.held, call=listener.call, number=listener.number
        )
        if not items:
            return ()
        if listener.held is not None:
            listener.answer_stored(listener.held, listener.call or {})
        listener.held, listener.call = None, None
        turn.items = [*turn.items, *items]
        listener.show(entries)
        listener.emitter.emit("run.wires", wires=turn.wires)
        return steered_messages(entries)

    return steering


async def _ending(turn: Turn, end: AgentEnd, listener: TurnListener, signal: AbortSignal) -> Ending:
    base: dict[str, Any] = {
        "held": listener.held,
        "call": listener.call,
        "number": listener.number,
    }
    if signal.kind == "tool_loop":
        error = ProviderError(turn.failure, reason="tool_loop")
        return Ending(Run.Outcome.ERROR, explanation=turn.failure, error=error, **base)
    if signal.aborted or end.reason == "aborted":
        kind, by = await run_db(_stop_of, turn.run.pk)
        kind = kind or signal.kind or "stop"
        return Ending(
            Run.Outcome.ABORTED,
            stop_reason=STOP_REASONS.get(kind, "stop"),
            stopped_by=by or ("the time limit" if kind == "timeout" else "the gateway"),
            **base,
        )
    if end.reason == "error":
        error = end.error or ProviderError("The model service failed.")
        return Ending(Run.Outcome.ERROR, stop_reason="error", error=error, **base)
    reason = listener.held.stop_reason if listener.held else "stop"
    return Ending(Run.Outcome.FINAL, stop_reason=reason, **base)


def _stop_of(run_id: str) -> tuple[str, str]:
    row = Run.objects.filter(pk=run_id).values_list("stop_kind", "stop_by").first()
    return row or ("", "")


async def _end(turn: Turn, emitter: Emitter, ending: Ending) -> None:
    failpoint("before_end")
    record = await run_db(turn_finish, turn, ending)
    failpoint("after_end")
    for entry in record.pop("entries"):
        emitter.emit("entry", entry=entry)
    emitter.emit("run.end", change="close", **record)
    await emitter.drain()
