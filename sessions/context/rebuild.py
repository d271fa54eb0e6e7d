"""What a model call sent, put together again from what its row refers to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.context.images import has_image, without_images
from agents.context.limits import limited
from agents.context.pruning import Pruned, PruningRules, result_cleared, result_trimmed
from agents.context.summary import SummaryMessage
from agents.core.messages import Message, ToolResultMessage
from sessions.models import ModelCall
from sessions.turns.history import branch_read, history_forget


@dataclass(frozen=True, slots=True)
class Sent:
    """One message of a request and the entry that it comes from. `note` says how it was changed:
    summary, trimmed, cleared, shortened, images left out, or "".
    """

    entry_id: str
    message: Message
    note: str = ""


def messages_as_sent(call: ModelCall) -> list[Sent]:
    """The messages of a call, as they were before the service's own format was made of them."""
    record: Mapping[str, Any] = call.context or {}
    transcript = str(call.run.transcript_id)
    branch = branch_read(
        transcript_id=transcript,
        leaf=str(record.get("leaf") or call.leaf),
        last_seq=call.run.transcript.next_seq - 1,
    )
    # A page is looked at once; what it read is of no more use in this process.
    history_forget(transcript_id=transcript)
    names = [entry for entry, _ in branch.items]
    messages: Sequence[Message] = branch.raw()
    entries = [branch.entry, *names] if len(messages) > len(names) else names
    kept = limited(messages, int(record.get("historyLimit") or 0))
    dropped = len(messages) - len(kept)
    if dropped and isinstance(kept[0], SummaryMessage):
        entries = [entries[0], *entries[dropped + 1 :]]
    elif dropped:
        entries = entries[dropped:]
    cuts = branch.details.get("truncated") or {}
    found = [
        Sent(entry, message, _note(message, entry, cuts))
        for entry, message in zip(entries, kept, strict=True)
    ]
    found = _without_old_images(found, str(record.get("imagesFrom") or ""))
    return _pruned(found, record.get("pruning") or {})


def pruning_record(rules: PruningRules, found: Pruned) -> dict[str, Any]:
    """What is kept of a pruning, so that it can be shown again: places and measures."""
    return {
        "trimmed": list(found.trimmed),
        "cleared": list(found.cleared),
        "maxChars": rules.max_chars,
        "headChars": rules.head_chars,
        "tailChars": rules.tail_chars,
        "placeholder": rules.placeholder,
    }


def _note(message: Message, entry: str, cuts: Mapping[str, Any]) -> str:
    if isinstance(message, SummaryMessage):
        return "summary"
    return "shortened" if entry in cuts else ""


def _without_old_images(found: list[Sent], first: str) -> list[Sent]:
    places = [index for index, one in enumerate(found) if first and one.entry_id == first]
    old = places[0] if places else 0
    return [
        Sent(one.entry_id, without_images(one.message), "images left out")
        if index < old and has_image(one.message)
        else one
        for index, one in enumerate(found)
    ]


def _pruned(found: list[Sent], record: Mapping[str, Any]) -> list[Sent]:
    if not record:
        return found
    rules = PruningRules(
        max_chars=record["maxChars"],
        head_chars=record["headChars"],
        tail_chars=record["tailChars"],
        placeholder=record["placeholder"],
    )
    changed = list(found)
    for note, change in (("trimmed", result_trimmed), ("cleared", result_cleared)):
        for index in record[note]:
            message = changed[index].message
            if isinstance(message, ToolResultMessage):
                changed[index] = Sent(changed[index].entry_id, change(message, rules), note)
    return changed
