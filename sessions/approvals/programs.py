"""Questions of programs: no turn waits for them, whoever asked does."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.clean_text import clean_json
from agents.core.errors import Conflict, UserError
from agents.core.principal import APPROVALS, Principal
from agents.database import write_transaction
from agents.ids import new_id
from agents.selectors import default_agent_slug
from sessions.access import visible_sessions
from sessions.approvals.gate import approval_digest
from sessions.approvals.parking import slug_new
from sessions.approvals.telling import approval_asked
from sessions.models import Approval

# Milliseconds that the reference waits when the program does not say.
TIMEOUT_MS = 120_000
LONGEST_MS = 86_400_000
KEPT_DAYS = 30


def approval_request(
    *,
    principal: Principal,
    request: Mapping[str, Any],
    approval_id: str = "",
    timeout_ms: int | None = None,
) -> Approval:
    """Asks for a decision on a command of the caller's own; what comes of it is up to the caller.

    `request` has the field names of the reference (command or commandArgv, cwd, host, agentId,
    sessionKey …). Raises UserError without a command or without the right operator.approvals,
    Conflict for an id that is in use.
    """
    if not principal.has_scope(APPROVALS):
        raise UserError(_("You may not ask this; it takes the right operator.approvals."))
    facts = clean_json(dict(request))
    facts["command"] = command = _command(facts)
    key = str(facts.get("sessionKey") or "")
    session = visible_sessions(principal).filter(key=key).first() if key else None
    agent = str(facts.get("agentId") or "") or (session.agent_slug if session else "")
    # design 10: ask=always wants an answer each time.
    always = () if facts.get("ask") == "always" else (Approval.State.ALLOWED_ALWAYS.value,)
    now, milliseconds = timezone.now(), timeout_ms or TIMEOUT_MS
    approval = Approval(
        pk=approval_id or new_id(),
        slug=slug_new(),
        session=session,
        agent_slug=agent[:64] or default_agent_slug(),
        kind="program",
        tool="exec",
        arguments={"command": command},
        digest=approval_digest("exec", {"command": command}),
        reason=_("A program asks whether it may run this."),
        facts=facts,
        decisions=["allow-once", *always, "deny"],
        asked_of=(principal.name or principal.id)[:120],
        origin="program",
        created_at=now,
        expires_at=now + timedelta(milliseconds=min(milliseconds, LONGEST_MS)),
    )
    try:
        with write_transaction():
            approval.save(force_insert=True)
            approval_asked(approval)
    except IntegrityError as error:
        raise Conflict(_("id %(id)s is in use; leave it out.") % {"id": approval.pk}) from error
    return approval


def approvals_prune() -> int:
    """Deletes what programs asked and what ended KEPT_DAYS ago; the others go with their runs."""
    old = timezone.now() - timedelta(days=KEPT_DAYS)
    ended = Approval.objects.filter(run=None, expires_at__lt=old)
    count, _by_model = ended.exclude(state=Approval.State.PENDING).delete()
    return count


def _command(facts: Mapping[str, Any]) -> str:
    plan = facts.get("systemRunPlan")
    stated = facts.get("command") or (plan.get("commandText") if isinstance(plan, Mapping) else "")
    argv = facts.get("commandArgv")
    if not stated and isinstance(argv, list):
        stated = shlex.join(str(word) for word in argv)
    if not isinstance(stated, str) or not stated.strip():
        raise UserError(_("command is missing; send command, commandArgv or systemRunPlan."))
    return stated
