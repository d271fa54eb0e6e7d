"""`before_compaction` and `after_compaction`, which a compaction waits for."""

from __future__ import annotations

from typing import Any

from agents.database import run_db
from agents.hooks import hook_observe, hooks_present
from sessions.context.watchers import CompactionNews
from sessions.turns.history import branch_read
from sessions.turns.hook_context import hook_context
from sessions.turns.hook_events import messages_json


async def compaction_begins(news: CompactionNews) -> None:
    """Tells plugins that history is about to be summarised."""
    if not hooks_present("before_compaction"):
        return
    turn = news.turn
    branch = await run_db(
        branch_read,
        transcript_id=turn.transcript_id,
        leaf=turn.leaf,
        last_seq=turn.next_seq - 1,
    )
    event = {
        **_facts(news),
        "compactingCount": news.compacting,
        "messages": messages_json([message for _, message in branch.items]),
    }
    await hook_observe("before_compaction", event, hook_context(turn))


async def compaction_ended(news: CompactionNews) -> None:
    """Tells plugins that a summary stands in place of old history."""
    if hooks_present("after_compaction"):
        event = {**_facts(news), "compactedCount": news.compacting}
        await hook_observe("after_compaction", event, hook_context(news.turn))


def _facts(news: CompactionNews) -> dict[str, Any]:
    return {
        "sessionId": news.turn.transcript_id,
        "messageCount": news.messages,
        "tokenCount": news.tokens,
        "trigger": news.trigger,
    }
