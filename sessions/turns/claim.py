"""Binding waiting messages to a run, and writing them into the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy

from agents.core.messages import now_ms
from agents.rows import row_update
from sessions.models import InboxItem
from sessions.queueing import Batch, prompt_text
from sessions.turns.turn import Turn
from sessions.turns.writes import entries_add

# What an item is to its run until the end gives it an outcome; kept in `detail`.
LEAD, MERGED, SUMMARISED, STEERED = "lead", "merged", "summarised", "steered"
FULL = gettext_lazy("More messages were waiting than the queue holds; send it again.")


class FilesWanted(Exception):
    """Attached files must be read and copied first, which no transaction may wait for."""

    def __init__(self, references: Sequence[Mapping[str, Any]], workspace: Path) -> None:
        super().__init__(f"{len(references)} files")
        self.references, self.workspace = references, workspace


def items_claim(turn: Turn, batch: Batch, by_id: dict[int, InboxItem]) -> list[InboxItem]:
    """The batch's items, lead first, bound to the run and to the entry that holds their text.

    Within the caller's transaction. Items that the queue cannot hold are refused. Raises
    FilesWanted.
    """
    parts = {
        LEAD: [by_id[batch.lead.id]],
        MERGED: [by_id[item.id] for item in batch.merged],
        SUMMARISED: [by_id[item.id] for item in batch.overflow],
    }
    shown = [*parts[LEAD], *parts[MERGED]]
    body = {"role": "user", "content": _content(turn, batch, shown), "timestamp": now_ms()}
    turn.prompt_entry = entries_add(turn, [body], interaction=True)[0]
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
    return [*shown, *parts[SUMMARISED]]


def items_update(keys: Sequence[int], **changes: Any) -> None:
    """Sets columns of inbox items; nearly always there is just one."""
    if len(keys) == 1:
        row_update(InboxItem, where={"id": keys[0]}, changes=changes)
    else:
        InboxItem.objects.filter(pk__in=keys).update(**changes)


def _content(turn: Turn, batch: Batch, items: list[InboxItem]) -> Any:
    text = prompt_text(batch)
    references = [reference for item in items for reference in item.attachments]
    return content_with_files(turn, text, references)


def content_with_files(turn: Turn, text: str, references: list[dict[str, Any]]) -> Any:
    """The content of a user message: bare text, or blocks when files are attached.

    Raises FilesWanted for files that `turn.files` lacks.
    """
    if not references or turn.snapshot is None:
        return text
    if wanted := [reference for reference in references if reference["id"] not in turn.files]:
        raise FilesWanted(wanted, turn.snapshot.workspace)
    blocks = [turn.files[reference["id"]] for reference in references]
    return [{"type": "text", "text": text}, *blocks] if text.strip() else blocks
