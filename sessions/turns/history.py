"""The messages of a branch, kept per process so that a long session is not read anew each turn.

Entries are never edited, so what was read stays true; only newer rows are fetched.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.core.json_codec import message_from_json
from agents.core.messages import Image, Message, UserMessage
from sessions.artifacts import image_data
from sessions.models import Entry

# Transcripts kept in memory by one process; an evicted one is simply read again.
KEPT = 256
ARTIFACT = "artifact:"


@dataclass(slots=True)
class _Known:
    last_seq: int = 0
    rows: dict[str, tuple[str, Message | None]] = field(default_factory=dict)


_known: OrderedDict[str, _Known] = OrderedDict()


def branch_messages(*, transcript_id: str, leaf: str, last_seq: int) -> list[Message]:
    """The messages from the root to `leaf`, oldest first, images filled in.

    `last_seq` is the number of the newest entry there is; when that is known already, nothing is
    read.
    """
    known = _load(transcript_id, last_seq)
    found: list[Message] = []
    wanted = leaf
    while wanted and wanted in known.rows:
        wanted, message = known.rows[wanted]
        if message is not None:
            found.append(message)
    found.reverse()
    return [_with_images(message) for message in found]


def history_note(*, transcript_id: str, entries: Sequence[tuple[Entry, Message]]) -> None:
    """Remembers entries that this process just committed, in order of their number."""
    known = _known.get(transcript_id)
    if known is None:
        return
    for entry, message in entries:
        if entry.seq != known.last_seq + 1:
            return
        known.rows[entry.entry_id] = (entry.parent_id, message)
        known.last_seq = entry.seq


def history_forget(*, transcript_id: str) -> None:
    """Drops what is remembered of a transcript."""
    _known.pop(transcript_id, None)


def _load(transcript_id: str, last_seq: int) -> _Known:
    known = _known.pop(transcript_id, None) or _Known()
    _known[transcript_id] = known
    while len(_known) > KEPT:
        _known.popitem(last=False)
    if known.last_seq >= last_seq:
        return known
    rows = Entry.objects.filter(transcript_id=transcript_id, seq__gt=known.last_seq)
    for seq, entry, parent, kind, body in rows.order_by("seq").values_list(
        "seq", "entry_id", "parent_id", "type", "body"
    ):
        message = message_from_json(body) if kind == Entry.Type.MESSAGE else None
        known.rows[entry] = (parent, message)
        known.last_seq = seq
    return known


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
