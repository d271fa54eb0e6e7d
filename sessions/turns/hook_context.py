"""Where a turn is, for handlers of hooks."""

from __future__ import annotations

from agents.hooks import HookContext
from sessions.turns.turn import Turn


def hook_context(turn: Turn) -> HookContext:
    """The context of a turn's hooks; their calls are noted with the turn."""
    snapshot = turn.snapshot
    return HookContext(
        agent_id=turn.session.agent_slug,
        session_key=turn.session.key,
        session_id=turn.transcript_id,
        run_id=turn.run.pk,
        workspace_dir=str(snapshot.workspace) if snapshot is not None else "",
        message_provider=turn.run.origin,
        trigger="user",
        channel_id=turn.run.origin,
        trace=turn.run.wire_id,
        record=turn.hook_calls.append,
    )
