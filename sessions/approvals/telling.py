"""Tells every process that something is asked or was decided."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction

from sessions.approvals.shapes import approval_json, resolved_json
from sessions.live import control_publish
from sessions.models import Approval
from sessions.wake import wake

REQUESTED = "exec.approval.requested"
RESOLVED = "exec.approval.resolved"


def approval_asked(approval: Approval) -> None:
    """Tells after the commit that somebody has to decide."""
    transaction.on_commit(partial(_publish, REQUESTED, approval, approval_json(approval)))


def approval_ended(approval: Approval) -> None:
    """Tells after the commit how it ended, and rings for its run when nothing is left to decide."""
    transaction.on_commit(partial(_publish, RESOLVED, approval, resolved_json(approval)))
    if approval.run_id is not None:
        transaction.on_commit(partial(_ring, approval))


def _publish(event: str, approval: Approval, payload: dict[str, Any]) -> None:
    owner = approval.session.owner_id if approval.session is not None else ""
    control_publish({"t": "approval", "event": event, "owner": owner, "payload": payload})


def _ring(approval: Approval) -> None:
    # Asked after the commit: of two that decide at once the later one sees both.
    pending = Approval.objects.filter(run_id=approval.run_id, state=Approval.State.PENDING)
    if approval.session_id is not None and not pending.exists():
        wake(approval.session_id)
