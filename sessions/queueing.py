"""Which waiting messages make up the next turn, and how they read as one prompt. Pure.

Modes (gateway.md 8): steer, followup, collect, interrupt. An idle session starts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

QueueMode = Literal["steer", "followup", "collect", "interrupt"]
MODES: tuple[QueueMode, ...] = ("steer", "followup", "collect", "interrupt")
_MERGING = ("collect", "interrupt")
# Names of older clients for the same thing.
ALIASES = {"queue": "steer", "steer-backlog": "steer", "steer+backlog": "steer"}
DropPolicy = Literal["old", "new", "summarize"]
SUMMARY_LENGTH = 160


@dataclass(frozen=True, slots=True)
class Waiting:
    """A waiting message, as far as this module must know it.

    `person` is whose rights it carries; `alone` says that it cannot share a prompt with others
    (it has its own model, system prompt or place in the transcript).
    """

    id: int
    person: str
    text: str
    mode: QueueMode
    sender: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """The next turn: `lead` starts it, `merged` go into the same prompt, `overflow` are only
    summarised in it, `refused` end without one.
    """

    lead: Waiting
    merged: Sequence[Waiting] = ()
    overflow: Sequence[Waiting] = ()
    refused: Sequence[Waiting] = ()


@dataclass(frozen=True, slots=True)
class QueuePolicy:
    """`cap` messages may wait before `drop` applies: "old" refuses the oldest, "new" the newest,
    and "summarize" keeps a line of each of the oldest.
    """

    mode: QueueMode = "collect"
    cap: int = 20
    drop: DropPolicy = "summarize"
    debounce_ms: int = 1000
    by_channel: dict[str, QueueMode] = field(default_factory=dict)


def mode_named(name: str) -> QueueMode | None:
    """The mode a person or program meant, or None for an unknown word."""
    plain = name.strip().lower()
    plain = ALIASES.get(plain, plain)
    return next((mode for mode in MODES if mode == plain), None)


def batch_next(waiting: Sequence[Waiting], policy: QueuePolicy) -> Batch | None:
    """The next turn out of all waiting messages in order of arrival, None when none waits.

    Followup and steer take one message; collect and interrupt merge what follows the lead as long
    as it is the same person's and may share a prompt.
    """
    if not waiting:
        return None
    surplus = max(0, len(waiting) - policy.cap)
    first = 0 if policy.drop == "new" else surplus
    kept = list(waiting[first : first + policy.cap])
    dropped = (*waiting[:first], *waiting[first + policy.cap :])
    lead = kept[0]
    merged: list[Waiting] = []
    if lead.mode in _MERGING and not lead.alone:
        for item in kept[1:]:
            if (
                item.person != lead.person
                or item.alone
                or item.mode not in ("collect", "interrupt")
            ):
                break
            merged.append(item)
    if policy.drop == "summarize":
        # Nobody reads another's messages: those of others wait for a turn of their own.
        mine = tuple(item for item in dropped if item.person == lead.person)
        return Batch(lead=lead, merged=merged, overflow=mine)
    return Batch(lead=lead, merged=merged, refused=dropped)


def prompt_text(batch: Batch) -> str:
    """One prompt for the batch: the bare text for a single message, a numbered list otherwise."""
    parts: list[str] = []
    if batch.overflow:
        parts.append(overflow_line(batch.overflow))
    if not batch.merged:
        parts.append(batch.lead.text)
        return "\n\n".join(parts)
    parts.insert(0, "[Queued messages while agent was busy]")
    for number, item in enumerate((batch.lead, *batch.merged), start=1):
        sender = f" (from {item.sender})" if item.sender else ""
        parts.append(f"---\nQueued #{number}{sender}\n{item.text}")
    return "\n\n".join(parts)


def overflow_line(items: Sequence[Waiting]) -> str:
    """One paragraph that stands for messages beyond the cap; their full text stays stored."""
    bullets = "\n".join(f"- {shorten(item.text, SUMMARY_LENGTH)}" for item in items)
    return f"[Queue overflow] {len(items)} earlier messages were summarised.\nSummary:\n{bullets}"


def shorten(text: str, limit: int) -> str:
    """`text` on one line, at most `limit` characters, with an ellipsis where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
