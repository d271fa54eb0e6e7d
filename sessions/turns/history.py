"""The messages of a branch, kept per process so that a long session is not read anew each turn.

Entries are never edited, so what was read stays true; only newer rows are fetched. Reading goes
from the end backwards and stops where the newest summary begins to stand for the rest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from django.db import connection

from agents.context.images import has_image, images_from, without_images
from agents.context.result_cut import result_cut
from agents.context.summary import SummaryMessage, summary_message
from agents.core.json_codec import message_from_json
from agents.core.messages import Image, Message, ToolResultMessage, UserMessage
from sessions.artifacts import image_data
from sessions.models import Entry

# Transcripts kept in memory by one process; an evicted one is simply read again.
KEPT = 256
ARTIFACT = "artifact:"
# Entries that are read at once, from the end backwards.
_CHUNK = 512
_ENTRIES = (
    "SELECT entry_id, parent_id, type, body FROM agent_sessions_entry "
    "WHERE transcript_id = %s AND seq BETWEEN %s AND %s ORDER BY seq"
)


@dataclass(frozen=True, slots=True)
class Branch:
    """What of a branch reaches a model: a summary, then `items` (entry id and message).

    `entry` is the newest compaction's entry ("" for none), `at` its time in milliseconds since the
    epoch. The first `before` items stood before it in the transcript. `details` is what it
    noted; `truncated` in there names results that are cut, with the characters left of each.
    """

    items: tuple[tuple[str, Message], ...] = ()
    entry: str = ""
    at: int = 0
    summary: str = ""
    tokens_before: int = 0
    before: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary_message(self) -> SummaryMessage | None:
        """The summary as the model reads it."""
        if not self.summary:
            return None
        return summary_message(self.summary, entry_id=self.entry, timestamp=self.at)

    def raw(self) -> list[Message]:
        """The messages to send, images still as references to files."""
        cuts: Mapping[str, int] = self.details.get("truncated") or {}
        messages: list[Message] = [message for _, message in self.items]
        if cuts:
            messages = [_cut(message, cuts.get(entry)) for entry, message in self.items]
        summary = self.summary_message
        return messages if summary is None else [summary, *messages]

    def messages(self) -> list[Message]:
        """The messages to send. Images of the newest turns are read, older ones are named."""
        return self.sendable()[0]

    def sendable(self) -> tuple[list[Message], str]:
        """`messages`, and the entry from which on images are sent ("" when none is left out)."""
        messages = self.raw()
        shown = [index for index, message in enumerate(messages) if has_image(message)]
        first = images_from(messages) if shown else 0
        for index in shown:
            change = without_images if index < first else _with_images
            messages[index] = change(messages[index])
        if not shown or shown[0] >= first:
            return messages, ""
        return messages, self.items[first - (len(messages) - len(self.items))][0]


@dataclass(slots=True)
class _Row:
    parent: str
    message: Message | None
    mark: Mapping[str, Any] | None = None
    at: int = 0


@dataclass(slots=True)
class _Known:
    """Rows from number `first` to `last`; `first` 1 means that none older exists."""

    first: int = 0
    last: int = 0
    rows: dict[str, _Row] = field(default_factory=dict)


_known: OrderedDict[str, _Known] = OrderedDict()


def branch_messages(*, transcript_id: str, leaf: str, last_seq: int) -> list[Message]:
    """The messages that a model gets for the branch that ends at `leaf`, oldest first.

    `last_seq` is the number of the newest entry there is; when that is known already, nothing is
    read.
    """
    return branch_read(transcript_id=transcript_id, leaf=leaf, last_seq=last_seq).messages()


def branch_read(*, transcript_id: str, leaf: str, last_seq: int) -> Branch:
    """The branch that ends at `leaf`, back to what the newest summary on it keeps."""
    known = _load(transcript_id, last_seq)
    found: list[tuple[str, Message]] = []
    newest, newest_id, after = None, "", 0
    wanted = leaf
    while wanted and (row := _row(known, transcript_id, wanted)) is not None:
        if row.message is not None:
            found.append((wanted, row.message))
        elif row.mark is not None and newest is None:
            newest, newest_id, after = row, wanted, len(found)
            if not row.mark.get("firstKeptEntryId"):
                break
        if newest is not None and wanted == (newest.mark or {}).get("firstKeptEntryId"):
            break
        wanted = row.parent
    found.reverse()
    if newest is None:
        return Branch(tuple(found))
    return _compacted(found, newest, newest_id, after, reached=bool(wanted))


def _compacted(
    found: list[tuple[str, Message]], row: _Row, entry: str, after: int, *, reached: bool
) -> Branch:
    mark = row.mark or {}
    # A kept entry that is not on the branch (a damaged import) keeps nothing.
    items = found if reached else found[len(found) - after :]
    return Branch(
        items=tuple(items),
        entry=entry,
        at=row.at,
        summary=str(mark.get("summary") or ""),
        tokens_before=int(mark.get("tokensBefore") or 0),
        before=len(items) - after,
        details=mark.get("details") or {},
    )


def history_note(*, transcript_id: str, entries: Sequence[tuple[Entry, Message | None]]) -> None:
    """Remembers entries that this process just committed, in order of their number."""
    known = _known.get(transcript_id)
    if known is None:
        return
    for entry, message in entries:
        if entry.seq != known.last + 1:
            return
        is_mark = entry.type == Entry.Type.COMPACTION
        known.rows[entry.entry_id] = _Row(
            entry.parent_id,
            message,
            entry.body if is_mark else None,
            int(entry.created_at.timestamp() * 1000) if is_mark else 0,
        )
        known.first = known.first or entry.seq
        known.last = entry.seq


def history_forget(*, transcript_id: str) -> None:
    """Drops what is remembered of a transcript."""
    _known.pop(transcript_id, None)


def _row(known: _Known, transcript_id: str, entry: str) -> _Row | None:
    """A row by its entry id; older chunks are read until it is found."""
    while (row := known.rows.get(entry)) is None and known.first > 1:
        start = max(1, known.first - max(_CHUNK, known.last - known.first))
        _read(known, transcript_id, start, known.first - 1)
        known.first = start
    return row


def _load(transcript_id: str, last_seq: int) -> _Known:
    known = _known.pop(transcript_id, None) or _Known()
    _known[transcript_id] = known
    while len(_known) > KEPT:
        _known.popitem(last=False)
    if known.last < last_seq:
        start = known.last + 1 if known.last else max(1, last_seq - _CHUNK + 1)
        _read(known, transcript_id, start, last_seq)
        known.first, known.last = known.first or start, last_seq
    return known


def _read(known: _Known, transcript_id: str, first: int, last: int) -> None:
    # By hand: making two thousand rows into objects takes longer than all the rest of a turn.
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, [transcript_id, first, last])
        rows = cursor.fetchall()
    for entry, parent, kind, body in rows:
        if kind == Entry.Type.MESSAGE:
            known.rows[entry] = _Row(parent, message_from_json(orjson.loads(body)))
        elif kind != Entry.Type.COMPACTION:
            known.rows[entry] = _Row(parent, None)
        else:
            marks = Entry.objects.filter(transcript_id=transcript_id, entry_id=entry)
            at = marks.values_list("created_at", flat=True).get()
            mark = orjson.loads(body)
            known.rows[entry] = _Row(parent, None, mark, int(at.timestamp() * 1000))


def _cut(message: Message, limit: int | None) -> Message:
    if limit is None or not isinstance(message, ToolResultMessage):
        return message
    return result_cut(message, limit)


def _with_images(message: Message) -> Message:
    if not isinstance(message, UserMessage) or isinstance(message.content, str):
        return message
    if not any(isinstance(b, Image) and b.data.startswith(ARTIFACT) for b in message.content):
        return message
    blocks = tuple(
        Image(image_data(block.data.removeprefix(ARTIFACT)), block.mime_type)
        if isinstance(block, Image) and block.data.startswith(ARTIFACT)
        else block
        for block in message.content
    )
    return replace(message, content=tuple(b for b in blocks if not isinstance(b, Image) or b.data))
