"""Binding waiting messages to a run, and writing them into the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy

from agents.rows import row_update
from sessions.models import InboxItem
from sessions.models.system_events import SystemEvent
from sessions.queueing import Batch, prompt_text
from sessions.turns.sandboxes import session_folder
from sessions.turns.turn import Turn
from sessions.turns.user_body import user_body, wake_body
from sessions.turns.writes import entries_add
from sessions.wakes import ASKED, is_wake

# What an item is to its run until the end gives it an outcome; kept in `detail`.
LEAD, MERGED, SUMMARISED, STEERED = "lead", "merged", "summarised", "steered"
FULL = gettext_lazy("More messages were waiting than the queue holds; send it again.")


class FilesWanted(Exception):
    """Attached files must be read and copied first, which no transaction may wait for."""

    def __init__(self, references: Sequence[Mapping[str, Any]], workspace: Path) -> None:
        super().__init__(f"{len(references)} files")
        self.references, self.workspace = references, workspace


def items_claim(
    turn: Turn, batch: Batch, by_id: dict[int, InboxItem], events: Sequence[SystemEvent] = ()
) -> list[InboxItem]:
    """The batch's items, lead first, bound to the run and to the entry that holds their text.

    Within the caller's transaction. Items that the queue cannot hold are refused. `events` stand
    in front of the text; messages that only wait for them are of the turn, too. Raises
    FilesWanted.
    """
    lead = by_id[batch.lead.id]
    parts = {
        LEAD: [lead],
        MERGED: [by_id[item.id] for item in batch.merged],
        SUMMARISED: [by_id[item.id] for item in batch.overflow],
    }
    shown = [*parts[LEAD], *parts[MERGED]]
    body = _body(turn, batch, shown, events)
    turn.prompt_entry = entries_add(turn, [body], interaction=not is_wake(lead))[0]
    if events:
        parts[MERGED] += [item for item in by_id.values() if is_wake(item) and item is not lead]
    for part, items in parts.items():
        if items:
            items_update(
                [item.pk for item in items],
                run_id=turn.run.pk,
                detail=part,
                entry_id=turn.prompt_entry.entry_id,
            )
        for item in items:
            item.detail = part
    if batch.refused:
        turn.refused = [by_id[item.id] for item in batch.refused]
        InboxItem.objects.filter(pk__in=[item.pk for item in turn.refused]).update(
            outcome=InboxItem.Outcome.REFUSED, detail=str(FULL), ended_at=timezone.now()
        )
    return [lead, *parts[MERGED], *parts[SUMMARISED]]


def items_update(keys: Sequence[int], **changes: Any) -> None:
    """Sets columns of inbox items; nearly always there is just one."""
    if len(keys) == 1:
        row_update(InboxItem, where={"id": keys[0]}, changes=changes)
    else:
        InboxItem.objects.filter(pk__in=keys).update(**changes)


def _body(
    turn: Turn, batch: Batch, items: list[InboxItem], events: Sequence[SystemEvent]
) -> dict[str, Any]:
    zone = turn.principal.zone
    if is_wake(items[0]):
        return wake_body(asked=ASKED, said=items[0].text, events=events, zone=zone)
    references = [reference for item in items for reference in item.attachments]
    blocks = file_blocks(turn, references)
    return user_body(text=prompt_text(batch), blocks=blocks, events=events, zone=zone)


def file_blocks(turn: Turn, references: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The blocks of attached files. Raises FilesWanted for files that `turn.files` lacks."""
    if not references or turn.snapshot is None:
        return []
    if wanted := [reference for reference in references if reference["id"] not in turn.files]:
        raise FilesWanted(wanted, session_folder(turn.snapshot, turn.session.key))
    return [turn.files[reference["id"]] for reference in references]
