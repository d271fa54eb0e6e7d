"""Reads: how compactions ended."""

from __future__ import annotations

from typing import Any

from agents.core.principal import Principal
from sessions.models import Compaction
from sessions.run_selectors import visible_runs


def compaction_of(*, principal: Principal, run_id: str) -> dict[str, Any]:
    """What the newest compaction of a visible run did, in the words of the protocol."""
    runs = visible_runs(principal).filter(wire_id=run_id)
    row = Compaction.objects.filter(run__in=runs).order_by("-id").first()
    if row is None:
        return {"compacted": False}
    done = row.outcome == Compaction.Outcome.DONE
    result: dict[str, Any] = {"compacted": done}
    if done:
        result["kept"] = row.messages_kept
        result["result"] = {"tokensBefore": row.tokens_before, "tokensAfter": row.tokens_after}
    if row.reason:
        result["reason"] = row.reason
    return result
