"""The live record of a message that ended without a turn."""

from __future__ import annotations

from typing import Any, Literal

from agents.core.messages import now_ms
from sessions.models import InboxItem, Session


def ended_record(
    *,
    session: Session,
    wire: str,
    state: Literal["final", "aborted", "error"],
    outcome: InboxItem.Outcome,
    text: str = "",
    stop_reason: str = "",
    error: str = "",
) -> dict[str, Any]:
    """A run.end record of one run id. It belongs to no run, so it has no number of its own."""
    record = {
        "t": "run.end",
        "run": "",
        "wire": wire,
        "key": session.key,
        "agent": session.agent_slug,
        "seq": 1,
        "fence": 0,
        "state": state,
        "text": text,
        "stopReason": stop_reason,
        "endedAt": now_ms(),
        "wires": [{"id": wire, "outcome": str(outcome)}],
    }
    if error:
        record |= {"errorKind": "refused", "errorMessage": error}
    return record
