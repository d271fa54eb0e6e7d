"""The last chat event of each run id of a turn: exactly one for each."""

from __future__ import annotations

from typing import Any

from agents.core.messages import now_ms
from channels_app.gateway.connection import Flavour
from channels_app.gateway.hub.frame import Frame, frame_make

_ERROR_KINDS = {
    "rate_limit": "rate_limit",
    "overloaded": "rate_limit",
    "timeout": "timeout",
    "context_overflow": "context_length",
    "refusal": "refusal",
}
# gateway.md 12.6: strings of errorDetail are at most this long.
_LONGEST_DETAIL = 300
# Characters; however they are written, the event stays below maxPayload.
LONGEST_TEXT, LONGEST_REASONING = 1_000_000, 200_000


def ending_frames(record: dict[str, Any], base: dict[str, Any], flavour: Flavour) -> list[Frame]:
    """One final, aborted or error event for the run's own id and for each that was merged in."""
    return [
        frame_make("chat", _payload(record, wire, dict(base), flavour), ends=wire["id"])
        for wire in wires_of(record)
    ]


def wires_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The run ids that a run.end record ends, the run's own one first."""
    primary = record.get("wire", "")
    wires = record.get("wires") or [{"id": primary, "outcome": "answered"}]
    return sorted(wires, key=lambda wire: wire["id"] != primary)


def state_of(record: dict[str, Any], wire: dict[str, Any]) -> str:
    """How one run id ends: final, aborted or error."""
    outcome = wire.get("outcome")
    if outcome == "stopped":
        return "aborted"
    if outcome == "refused":
        return "error"
    return str(record["state"])


def _payload(
    record: dict[str, Any], wire: dict[str, Any], payload: dict[str, Any], flavour: Flavour
) -> dict[str, Any]:
    state = state_of(record, wire)
    payload |= {"runId": wire["id"], "state": state}
    if text := record.get("text"):
        content = _content(record, text, flavour)
        payload["message"] = {"role": "assistant", "content": content, "timestamp": now_ms()}
    if state == "error":
        payload |= _error(record, wire, flavour)
    elif reason := record.get("stopReason"):
        payload["stopReason"] = reason
    if flavour.protocol >= 4:
        payload |= _extras(record, wire)
    elif record.get("usage"):
        payload["usage"] = record["usage"]
    return payload


def _content(record: dict[str, Any], text: str, flavour: Flavour) -> list[dict[str, Any]]:
    """The answer, with the reasoning before it and the trace behind it where they are asked for.

    The page shows both in places of their own.
    """
    content: list[dict[str, Any]] = [{"type": "text", "text": _shortened(text, LONGEST_TEXT)}]
    if flavour.is_page:
        return content
    if reasoning := record.get("reasoning"):
        shown = _shortened(reasoning, LONGEST_REASONING)
        content.insert(0, {"type": "thinking", "thinking": shown})
    if line := record.get("traceLine"):
        content.append({"type": "text", "text": f"\n\n{line}"})
    return content


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}\n\n[… {len(text) - most} more characters are in the history]"


def _extras(record: dict[str, Any], wire: dict[str, Any]) -> dict[str, Any]:
    extras = {
        "usage": record.get("usage") or None,
        "entryId": record.get("entryId") or None,
        "internalRunId": record.get("run") or None,
        "trace": record.get("trace") or None,
        "traceLine": record.get("traceLine") or None,
        "provider": record.get("provider") or None,
        "model": record.get("model") or None,
        "startedAt": record.get("startedAt"),
        "endedAt": record.get("endedAt"),
        "mergedInto": wire.get("mergedInto"),
        "summarised": wire.get("outcome") == "summarised" or None,
    }
    return {name: value for name, value in extras.items() if value is not None}


def _error(record: dict[str, Any], wire: dict[str, Any], flavour: Flavour) -> dict[str, Any]:
    text = wire.get("detail") or record.get("errorMessage") or "The run failed."
    found: dict[str, Any] = {"errorMessage": text}
    if flavour.protocol < 4:
        return found
    reason = record.get("errorKind") or ""
    detail = {
        "provider": record.get("provider"),
        "model": record.get("model"),
        "failoverReason": reason,
    }
    found["errorKind"] = _ERROR_KINDS.get(reason, "unknown")
    kept = {name: str(value)[:_LONGEST_DETAIL] for name, value in detail.items() if value}
    if kept:
        found["errorDetail"] = kept
    return found
