"""Rows as live records show them."""

from __future__ import annotations

from typing import Any

from sessions.models import Entry


def entry_json(entry: Entry) -> dict[str, Any]:
    """An entry as live records show it."""
    return {
        "id": entry.entry_id,
        "parentId": entry.parent_id or None,
        "seq": entry.seq,
        "role": entry.role,
        "runId": entry.run_id,
        "transcript": entry.transcript_id,
        "message": entry.body,
    }
