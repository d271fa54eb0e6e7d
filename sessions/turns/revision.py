"""Another pass over an answer: what was said is stored, and the instruction behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.core.messages import AssistantMessage, UserMessage, now_ms
from agents.database import write_transaction
from sessions.models import Entry
from sessions.turns.turn import Turn
from sessions.turns.writes import entries_add, fence_check, model_call_close, model_call_open

# Who wrote such an entry; for the model it is a person's message.
HOOK = "hook"


def revision_commit(
    turn: Turn,
    *,
    held: AssistantMessage,
    call: Mapping[str, Any] | None,
    number: int,
    text: str,
) -> tuple[list[Entry], UserMessage]:
    """Commits the answer that was held back and `text` as what is asked next.

    Returns the new entries and the message for the loop. Raises LeaseLostError.
    """
    message = UserMessage(text, timestamp=now_ms())
    saved = (turn.next_seq, turn.leaf)
    try:
        with write_transaction():
            fence_check(turn)
            added = entries_add(turn, [held])
            added += entries_add(turn, [message], role=HOOK)
            if call is not None:
                closing = {**call, "response_entry_id": added[0].entry_id}
                model_call_close(turn, number, closing)
            model_call_open(turn, number=number + 1)
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise
    return added, message
