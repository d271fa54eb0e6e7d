"""Taking waiting messages into a turn that runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from agents.core.json_codec import message_from_json
from agents.core.messages import AssistantMessage, Message
from agents.database import write_transaction
from sessions.artifacts import attachment_blocks
from sessions.models import Entry, InboxItem
from sessions.receipts import effective_mode, stands_alone
from sessions.turns.claim import STEERED, file_blocks
from sessions.turns.sandboxes import session_folder
from sessions.turns.turn import Turn
from sessions.turns.user_body import user_body
from sessions.turns.writes import entries_add, fence_check, model_call_close, model_call_open


def steering_take(
    turn: Turn, *, held: AssistantMessage | None, call: dict[str, Any] | None, number: int
) -> tuple[list[Entry], list[InboxItem]]:
    """Commits the answer held back and, behind it, every waiting message that may steer this turn.

    Nothing is written when none waits; then both lists are empty. Only messages of the person
    whose rights the turn has are taken. Raises LeaseLostError.
    """
    if not (waiting := _steers(turn)):
        return [], []
    _files_prepare(turn, waiting)
    saved = (turn.next_seq, turn.leaf)
    try:
        with write_transaction():
            fence_check(turn)
            items = _prepared(turn, _steers(turn))
            added = entries_add(turn, [held]) if held is not None and items else []
            if call is not None and items:
                entry = added[0].entry_id if added else ""
                model_call_close(turn, number, {**call, "response_entry_id": entry})
                model_call_open(turn, number=number + 1)
            for item in items:
                entry_row = entries_add(turn, [_body(turn, item)])[0]
                item.detail = STEERED
                InboxItem.objects.filter(pk=item.pk).update(
                    run=turn.run, detail=STEERED, entry_id=entry_row.entry_id
                )
                added.append(entry_row)
    except BaseException:
        turn.next_seq, turn.leaf = saved
        raise
    return added, items


def steered_messages(entries: list[Entry]) -> list[Message]:
    """The user messages among `entries`, for the loop."""
    return [message_from_json(entry.body) for entry in entries if entry.role == "user"]


def _steers(turn: Turn) -> list[InboxItem]:
    waiting = InboxItem.objects.filter(
        session=turn.session, outcome="", run=None, person_id=turn.run.person_id
    )
    return [
        item
        for item in waiting.order_by("id")
        if effective_mode(session=turn.session, item_mode=item.queue_mode, origin=item.origin)
        == "steer"
        and not stands_alone(item.options)
    ]


def _files_prepare(turn: Turn, items: Sequence[InboxItem]) -> None:
    references = [reference for item in items for reference in item.attachments]
    if references and turn.snapshot is not None:
        workspace = session_folder(turn.snapshot, turn.session.key)
        turn.files |= attachment_blocks(references=references, workspace=workspace)


def _prepared(turn: Turn, items: Sequence[InboxItem]) -> list[InboxItem]:
    """The first items whose files are there; the others came this very moment and wait."""

    def ready(item: InboxItem) -> bool:
        return all(reference["id"] in turn.files for reference in item.attachments)

    return list(takewhile(ready, items))


def _body(turn: Turn, item: InboxItem) -> dict[str, Any]:
    blocks = file_blocks(turn, item.attachments)
    return user_body(text=item.text, blocks=blocks, zone=turn.principal.zone)
