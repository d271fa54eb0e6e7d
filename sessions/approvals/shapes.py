"""An approval as clients see it: the field names of the reference's exec.approval.* methods."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from sessions.models import Approval

# What is shown of one text; the row keeps the whole.
LONGEST_TEXT = 20_000
LONGEST_PREVIEW = 300
# What the client of an approval reads of its facts, by the reference's names (runtime.md 7).
_FACTS = (
    *("commandArgv", "commandPreview", "envKeys", "cwd", "host", "nodeId", "security", "ask"),
    *("resolvedPath", "title", "description", "severity", "warningText"),
)
_DECISIONS = (Approval.State.ALLOWED_ONCE, Approval.State.ALLOWED_ALWAYS, Approval.State.DENIED)


def approval_json(approval: Approval) -> dict[str, Any]:
    """One approval for clients. Asks for the rows of its run and session where they are not read.

    `decision` is None while nobody has decided, and stays None when nobody did in time. What an
    allow-always would store is not in it.
    """
    run, session = approval.run, approval.session
    return {
        "id": approval.pk,
        "slug": approval.slug,
        "kind": approval.kind,
        "tool": approval.tool,
        "arguments": shortened(approval.arguments),
        "reason": approval.reason,
        "state": str(approval.state),
        "decision": decision_of(approval),
        "decisions": list(approval.decisions),
        "request": request_json(approval),
        "agentId": approval.agent_slug,
        "sessionKey": session.key if session is not None else None,
        "runId": run.wire_id if run is not None else None,
        "toolCallId": approval.call_id or None,
        "askedBy": approval.asked_of,
        "origin": approval.origin,
        "createdAtMs": _milliseconds(approval.created_at),
        "expiresAtMs": _milliseconds(approval.expires_at),
        "resolvedBy": approval.decided_by or None,
        "resolvedThrough": approval.decided_through or None,
        "resolvedAtMs": _milliseconds(approval.decided_at),
    }


def request_json(approval: Approval) -> dict[str, Any]:
    """The `request` of the reference's events: what would run, where, and for whom."""
    facts: Mapping[str, Any] = approval.facts
    known = {name: shortened(facts[name]) for name in _FACTS if name in facts}
    command = command_text(approval)
    return {
        "command": shortened(command),
        "commandPreview": preview(command),
        "cwd": None,
        "host": None,
        "nodeId": None,
        "security": None,
        "ask": None,
        "resolvedPath": None,
        **known,
        "agentId": approval.agent_slug,
        "sessionKey": approval.session.key if approval.session else facts.get("sessionKey"),
        "turnSourceChannel": facts.get("turnSourceChannel") or approval.origin or None,
        "turnSourceTo": facts.get("turnSourceTo"),
        "turnSourceAccountId": facts.get("turnSourceAccountId"),
        "turnSourceThreadId": facts.get("turnSourceThreadId"),
        "allowedDecisions": list(approval.decisions),
    }


def resolved_json(approval: Approval) -> dict[str, Any]:
    """The payload of exec.approval.resolved: the approval, and `ts` when it ended."""
    ended = approval.decided_at or approval.expires_at
    return {**approval_json(approval), "ts": _milliseconds(ended)}


def command_text(approval: Approval) -> str:
    """What would run, as one text: the command line, or the tool with its arguments."""
    for stated in (approval.facts.get("command"), approval.arguments.get("command")):
        if isinstance(stated, str) and stated:
            return stated
    arguments = orjson.dumps(approval.arguments).decode()
    return f"{approval.tool} {arguments}" if approval.arguments else approval.tool


def preview(text: str) -> str:
    """The text on one line, cut to what a list has room for."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_PREVIEW else line[: LONGEST_PREVIEW - 1] + "…"


def decision_of(approval: Approval) -> str | None:
    """allow-once, allow-always or deny; None while nobody has decided, or when nobody did."""
    return str(approval.state) if approval.state in _DECISIONS else None


def shortened(value: Any) -> Any:
    """The same value with every text in it cut to LONGEST_TEXT characters, and marked as cut."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… [{len(value) - LONGEST_TEXT} more characters]"
    if isinstance(value, Mapping):
        return {name: shortened(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(item) for item in value]
    return value


def _milliseconds(moment: datetime | None) -> int | None:
    return int(moment.timestamp() * 1000) if moment is not None else None
