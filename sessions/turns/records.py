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
        "message": entry_message(entry),
    }


def entry_message(entry: Entry) -> dict[str, Any]:
    """The message of an entry; a mark (a compaction, a changed model) becomes a notice."""
    body: dict[str, Any] = entry.body
    if entry.type == Entry.Type.MESSAGE:
        return body
    return {"role": "notice", "content": "", **body, "kind": entry.type}
