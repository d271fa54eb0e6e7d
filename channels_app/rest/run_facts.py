"""What the API tells of a run, also while its message still waits for a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agents.core.principal import Principal
from sessions.models import Compaction, HookCall, ModelCall, Person, Run, ToolCall
from sessions.run_selectors import (
    RunStatus,
    run_find,
    run_hook_calls,
    run_status,
    run_usage,
    runs_list,
)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run. `id` is empty while the message waits; `run_id` is the id that the client gave."""

    id: str
    run_id: str
    session_key: str
    agent: str
    state: str
    person: Person | None = None
    origin: str = ""
    provider: str = ""
    model: str = ""
    asked: str = ""
    text: str = ""
    stop_reason: str = ""
    merged_into: str = ""
    error: dict[str, str] | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    resumptions: int = 0
    accepted_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    warnings: Sequence[str] = ()
    failed_over: bool = False
    compacted: bool = False
    model_calls: Sequence[ModelCall] = ()
    tool_calls: Sequence[ToolCall] = ()
    compactions: Sequence[Compaction] = ()
    hook_calls: Sequence[HookCall] = ()


def runs_facts(*, principal: Principal, **query: Any) -> list[RunFacts]:
    """A page of visible runs; `query` is that of `runs_list`."""
    return [_of_run(run) for run in runs_list(principal=principal, **query)]


def run_facts(*, principal: Principal, run_id: str) -> RunFacts:
    """One visible run with its calls, by its own id or by the client's. Raises NotFound."""
    status = run_status(principal=principal, run_id=run_id)
    if status.state != "unknown" and not status.internal_id:
        return _of_status(status)
    run = run_find(principal=principal, run_id=status.internal_id or run_id)
    facts = replace(
        _of_run(run),
        text=run.reply,
        warnings=run.warnings,
        model_calls=list(run.model_calls.all()),
        tool_calls=list(run.tool_calls.all()),
        compactions=list(run.compactions.order_by("id")),
        hook_calls=list(run_hook_calls(run)),
    )
    if status.state == "unknown":
        return facts
    return replace(facts, run_id=status.run_id, state=status.state, merged_into=status.merged_into)


def _of_run(run: Run) -> RunFacts:
    failed = run.outcome == Run.Outcome.ERROR
    return RunFacts(
        id=run.pk,
        run_id=run.wire_id,
        session_key=run.session.key,
        agent=run.agent_slug,
        person=run.person,
        origin=run.origin,
        state=run.outcome or run.state,
        provider=run.provider,
        model=run.model,
        asked=run.preview,
        stop_reason=run.stop_reason,
        error={"kind": run.error_kind, "message": run.error_message} if failed else None,
        usage=run_usage(run),
        resumptions=run.resumptions,
        failed_over=bool(getattr(run, "failed_over", False)),
        compacted=bool(getattr(run, "compacted", False)),
        accepted_at=run.accepted_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )


def _of_status(status: RunStatus) -> RunFacts:
    failed = status.state == "error"
    return RunFacts(
        id="",
        run_id=status.run_id,
        session_key=status.session_key,
        agent=status.agent,
        state=status.state,
        text=status.text,
        stop_reason=status.stop_reason,
        error={"kind": status.error_kind, "message": status.error_message} if failed else None,
        ended_at=status.ended_at,
    )
