"""The summary of an earlier part of a conversation, as the model reads it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.core.messages import UserMessage

_HEAD = (
    "[Summary of the earlier conversation. Its messages were taken out to make room; what matters "
    "of them is below. Go on from here, and do not answer the summary itself.]"
)
_END = "[End of the summary.]"


@dataclass(frozen=True, slots=True)
class SummaryMessage(UserMessage):
    """A user message that stands for everything before it.

    Being one is a matter of its type, never of its text: a person who types the same words has
    written an ordinary message. `entry_id` is the transcript entry that holds the summary.
    """

    entry_id: str = ""


def summary_message(summary: str, *, entry_id: str, timestamp: int) -> SummaryMessage:
    """The message for a stored summary. The same arguments always give the same text."""
    content = f"{_HEAD}\n\n{summary.strip()}\n\n{_END}"
    return SummaryMessage(content, timestamp=timestamp, entry_id=entry_id)
