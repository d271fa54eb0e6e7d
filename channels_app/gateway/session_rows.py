"""A session as clients list it (gateway.md 2.3, sessions.list)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sessions.context.selectors import session_window
from sessions.keys import is_main
from sessions.models import Session


def session_row(session: Session, *, active: Collection[str] = ()) -> dict[str, Any]:
    """One row. `active` holds the keys of sessions in which a turn runs."""
    provider, _, model = session.model.partition("/")
    row: dict[str, Any] = {
        "key": session.key,
        "kind": "direct",
        "agentId": session.agent_slug,
        "isMain": is_main(session.key),
        "label": session.label or None,
        "displayName": session.label or session.title or None,
        "derivedTitle": session.title or None,
        "lastMessagePreview": session.preview or None,
        "sessionId": session.current_id,
        "createdAt": milliseconds(session.created_at),
        "updatedAt": milliseconds(session.updated_at),
        "lastInteractionAt": milliseconds(session.last_interaction_at),
        "archived": session.archived_at is not None,
        "thinkingLevel": session.thinking or None,
        "verboseLevel": session.verbose or None,
        "reasoningLevel": session.reasoning or None,
        "traceLevel": session.trace or None,
        "queueMode": session.queue_mode or None,
        "modelProvider": provider or None,
        "model": model or None,
        "authProfileOverride": session.profile if session.profile_pinned else None,
        "inputTokens": session.input_tokens,
        "outputTokens": session.output_tokens,
        "totalTokens": session.context_tokens,
        "totalTokensFresh": True,
        "contextTokens": session_window(session),
        "hasActiveRun": session.key in active,
        "origin": session.origin or None,
    }
    return {name: value for name, value in row.items() if value is not None}


def milliseconds(moment: datetime | None) -> int | None:
    """A time as the protocol has it: milliseconds since the epoch."""
    return None if moment is None else int(moment.timestamp() * 1000)
