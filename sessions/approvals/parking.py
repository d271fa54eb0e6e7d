"""The rows of a turn's questions, made together with its parking."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from agents.core.clean_text import clean_json, clean_text
from agents.core.messages import ToolCall
from agents.core.tools import Park
from sessions.approvals.attendance import seconds_to_decide
from sessions.approvals.selectors import run_approvals
from sessions.approvals.telling import approval_asked
from sessions.models import Approval
from sessions.turns.turn import Turn

Asked = tuple[ToolCall, Park]


def approvals_make(turn: Turn, asks: Sequence[Asked]) -> None:
    """Makes a row for each question that has none yet. Within the caller's transaction.

    The news go out after the commit. Expects the entry of the batch in `turn.open_batch`.
    """
    known = run_approvals(run_id=turn.run.pk, entry_id=turn.open_batch) if turn.resumed else {}
    for call, park in asks:
        if call.id not in known:
            approval = _row(turn, call, park)
            approval.save(force_insert=True)
            approval_asked(approval)


def slug_new() -> str:
    """A code of eight characters that nothing which waits has."""
    while True:
        slug = secrets.token_hex(4)
        if not Approval.objects.filter(slug=slug, state=Approval.State.PENDING).exists():
            return slug


def _row(turn: Turn, call: ToolCall, park: Park) -> Approval:
    now, origin, facts = timezone.now(), turn.run.origin, clean_json(dict(park.facts))
    seconds = seconds_to_decide(origin=origin, kind=park.kind, stated_ms=facts.get("timeoutMs"))
    arguments = call.arguments if park.arguments is None else park.arguments
    return Approval(
        slug=slug_new(),
        run=turn.run,
        session=turn.session,
        agent_slug=turn.session.agent_slug,
        entry_id=turn.open_batch,
        call_id=call.id,
        kind=park.kind[:16],
        tool=call.name[:120],
        arguments=clean_json(dict(arguments)),
        digest=park.ref,
        reason=clean_text(park.reason),
        facts=facts,
        decisions=list(park.decisions),
        asked_of=(turn.principal.name or turn.principal.id)[:120],
        origin=origin,
        created_at=now,
        expires_at=now + timedelta(seconds=seconds),
    )
