"""The outermost gate: what a person has decided takes the place of the question."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from agents.core.messages import ToolCall
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolGate, Verdict
from agents.database import run_db
from sessions.approvals.attendance import NOBODY
from sessions.approvals.selectors import run_approvals
from sessions.models import Approval
from sessions.turns.turn import Turn

States = Approval.State
CHANGED = "Denied: what would run now is not what the person was asked about. Call it again."


def approval_digest(name: str, arguments: Mapping[str, Any]) -> str:
    """The SHA-256 of a call: an answer holds for exactly this one."""
    plain = orjson.dumps([name, dict(arguments)], default=str, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(plain).hexdigest()


class ApprovedGate:
    """A ToolGate around all others. Asks for rows only for the batch that a turn was parked at.

    A question that stays open leaves with its digest as `ref`. Where nobody can be asked it is a
    denial at once. A no holds also where the rules would allow the call by now.
    """

    def __init__(self, gate: ToolGate, turn: Turn) -> None:
        self._gate = gate
        self._turn = turn

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """The inner verdicts, each question answered where it was decided."""
        verdicts = await self._gate.judge(calls, context)
        known = await self._known()
        return [
            verdict
            if isinstance(verdict, Deny)
            else _refused(known.get(call.id), verdict)
            if isinstance(verdict, Allow)
            else self._answered(call, verdict, known.get(call.id), context)
            for call, verdict in zip(calls, verdicts, strict=True)
        ]

    async def _known(self) -> dict[str, Approval]:
        turn = self._turn
        if not turn.resumed or not turn.open_batch:
            return {}
        return await run_db(run_approvals, run_id=turn.run.pk, entry_id=turn.open_batch)

    def _answered(
        self, call: ToolCall, park: Park, row: Approval | None, context: ToolContext
    ) -> Verdict:
        arguments = call.arguments if park.arguments is None else park.arguments
        digest = approval_digest(call.name, arguments)
        if row is None and not context.attended:
            if _runs_out_allowed(park.kind, park.facts):
                return Allow(park.arguments)
            origin = context.channel or "a job"
            return Deny(NOBODY.format(tool=repr(call.name), origin=repr(origin)))
        if row is None or row.state == States.PENDING:
            return replace(park, ref=digest)
        if row.digest != digest or row.facts.get("scripts") != park.facts.get("scripts"):
            return Deny(CHANGED)
        if row.state in (States.ALLOWED_ONCE, States.ALLOWED_ALWAYS):
            return Allow(park.arguments)
        if row.state == States.EXPIRED and _runs_out_allowed(row.kind, row.facts):
            return Allow(park.arguments)
        return Deny(denial_text(row))


def _refused(row: Approval | None, verdict: Allow) -> Verdict:
    no = row is not None and row.state in (States.DENIED, States.WITHDRAWN)
    return Deny(denial_text(row)) if row is not None and no else verdict


def denial_text(row: Approval) -> str:
    """What the model reads of a call that was asked about and must not run."""
    if row.state == States.DENIED:
        return f"Denied: {row.decided_by or 'the person'} was asked and did not allow this call."
    if row.state == States.EXPIRED:
        seconds = round((row.expires_at - row.created_at).total_seconds())
        return f"Denied: nobody answered within {seconds} s, which counts as no."
    return "Denied: the question was withdrawn before somebody answered."


def _runs_out_allowed(kind: str, facts: Mapping[str, Any]) -> bool:
    """A hook may say that its question counts as yes when nobody answers."""
    return kind == "hook" and facts.get("timeoutBehavior") == "allow"
