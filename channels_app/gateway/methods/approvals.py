"""exec.approval.*: what waits for a decision, the decision, and programs that ask for one."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from pydantic import Field

from agents.core.principal import APPROVALS
from agents.database import run_db
from channels_app.gateway.call import Call
from channels_app.gateway.methods.sending import Key
from channels_app.gateway.registry import method
from channels_app.gateway.validation import Params
from sessions.approvals.programs import LONGEST_MS, approval_request
from sessions.approvals.selectors import approval_find, approvals_pending
from sessions.approvals.services import approval_resolve, approvals_expire
from sessions.approvals.shapes import approval_json, decision_of
from sessions.models import Approval

Word = Annotated[str, Field(max_length=512)]
Reference = Annotated[str, Field(min_length=1, max_length=64)]
# Seconds after which the row is asked, in case Redis said nothing.
LOOK_SECONDS = 2.0
# What of a request is not a fact about the command.
_CONTROLS = {"id", "timeout_ms", "two_phase", "env"}


class ApprovalRequest(Params):
    """The command is `command`, `commandArgv` or `systemRunPlan`. Values of `env` are not kept."""

    command: Annotated[str, Field(max_length=100_000)] | None = None
    command_argv: Annotated[list[str], Field(max_length=10_000)] | None = None
    command_preview: Annotated[str, Field(max_length=10_000)] | None = None
    system_run_plan: dict[str, Any] | None = None
    id: Reference | None = None
    cwd: Annotated[str, Field(max_length=4096)] | None = None
    env: dict[str, str] | None = None
    node_id: Word | None = None
    host: Word | None = None
    security: Word | None = None
    ask: Word | None = None
    agent_id: Word | None = None
    resolved_path: Annotated[str, Field(max_length=4096)] | None = None
    session_key: Key | None = None
    turn_source_channel: Word | None = None
    turn_source_to: Word | None = None
    turn_source_account_id: Word | None = None
    turn_source_thread_id: str | int | None = None
    timeout_ms: Annotated[int, Field(ge=1, le=LONGEST_MS)] | None = None
    two_phase: bool | None = None


class ApprovalRef(Params):
    """An id, a code, or the unique beginning of one."""

    id: Reference


class ApprovalResolve(ApprovalRef):
    """`decision` is allow-once, allow-always or deny."""

    decision: Word


class ApprovalList(Params):
    """With `sessionKey` only those of one session."""

    session_key: Key | None = None


@method("exec.approval.list", ApprovalList, scope=APPROVALS)
async def approval_list(call: Call, params: ApprovalList) -> Any:
    """What can be decided now, oldest first."""
    key = await call.session_key(params.session_key) if params.session_key else ""
    found = await call.db(approvals_pending, session_key=key)
    return [approval_json(approval) for approval in found]


@method("exec.approval.get", ApprovalRef, scope=APPROVALS)
async def approval_get(call: Call, params: ApprovalRef) -> Any:
    """One approval, decided or not."""
    return approval_json(await call.db(approval_find, ref=params.id))


@method("exec.approval.resolve", ApprovalResolve, scope=APPROVALS)
async def approval_decide(call: Call, params: ApprovalResolve) -> Any:
    """Decides; an answer that comes too late is refused."""
    decided: Approval = await call.db(
        approval_resolve, ref=params.id, decision=params.decision, through="ws"
    )
    return {"ok": True, "id": decided.pk, "decision": decision_of(decided)}


@method("exec.approval.request", ApprovalRequest, scope=APPROVALS)
async def approval_ask(call: Call, params: ApprovalRequest) -> Any:
    """Asks for a decision; with `twoPhase` it is said first that it was asked, then the decision.

    `decision` is null when nobody answered in time.
    """
    facts = params.model_dump(by_alias=True, exclude_none=True, exclude=_CONTROLS)
    if params.env:
        facts["envKeys"] = sorted(params.env)
    approval: Approval = await call.db(
        approval_request,
        request=facts,
        approval_id=params.id or "",
        timeout_ms=params.timeout_ms,
    )
    if params.two_phase:
        call.answer({"status": "accepted", **_times(approval)})
    return call.answer(await _decision(call, approval))


@method("exec.approval.waitDecision", ApprovalRef, scope=APPROVALS)
async def approval_wait(call: Call, params: ApprovalRef) -> Any:
    """The decision once there is one, null when the time ran out first."""
    return await _decision(call, await call.db(approval_find, ref=params.id))


async def _decision(call: Call, approval: Approval) -> dict[str, Any]:
    with call.hub.approvals.waiting(approval.pk) as ended:
        while True:
            approval = await call.db(approval_find, ref=approval.pk)
            if approval.state != Approval.State.PENDING:
                return {**_times(approval), "decision": decision_of(approval)}
            left = approval.expires_at.timestamp() - time.time()
            if left <= 0:
                # No worker may be there to do it.
                await run_db(approvals_expire)
                continue
            try:
                await asyncio.wait_for(ended.wait(), min(left + 0.01, LOOK_SECONDS))
            except TimeoutError:
                continue


def _times(approval: Approval) -> dict[str, Any]:
    return {
        "id": approval.pk,
        "createdAtMs": int(approval.created_at.timestamp() * 1000),
        "expiresAtMs": int(approval.expires_at.timestamp() * 1000),
    }
