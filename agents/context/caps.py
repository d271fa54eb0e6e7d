"""The longest text of a tool that goes into a conversation. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# runtime.md 3.10: the share of the window, the least that is kept, and the tail.
WINDOW_SHARE = 0.3
LEAST_CHARS = 2_000
_TAIL_SHARE, _TAIL_CHARS = 0.3, 4_000
# A cut moves back by at most this share of what is kept to end at a line, an element or a word.
_SLACK = 0.1
_SHELLS = frozenset({"exec", "process", "bash", "shell"})
_TELLING = re.compile(
    r"error|exception|traceback|fail|fatal|panic|denied|exit code|warning"
    r"|\btotal\b|\bsum\b|\bsummary\b|\bpassed\b|\bfinished\b|\bdone\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Capped:
    """The parts of a long text that are kept. `next` is the offset at which the gap begins."""

    head: str
    tail: str
    total: int

    @property
    def next(self) -> int:
        """The offset of the first character that was left out."""
        return len(self.head)

    @property
    def left_out(self) -> int:
        """How many characters were left out."""
        return self.total - len(self.head) - len(self.tail)


def result_limit(window: int, hard_cap: int) -> int:
    """The most characters of one result for a model with `window` tokens."""
    return max(LEAST_CHARS, min(int(window * WINDOW_SHARE * 4), hard_cap))


def text_capped(text: str, limit: int, *, tool: str = "", is_error: bool = False) -> Capped | None:
    """What is kept of `text` so that it has at most `limit` characters, None when it fits.

    The end is kept too where it tells something: an error, totals, the end of a JSON document,
    or what a command printed last. Cuts are at the end of a line, an element or a word where one
    is near, and never inside a character that is made of several.
    """
    if len(text) <= limit:
        return None
    tail = ""
    if is_error or tool in _SHELLS or _end_matters(text):
        size = min(int(limit * _TAIL_SHARE), _TAIL_CHARS)
        tail = text[_start_at(text, len(text) - size) :]
    head = text[: end_near(text, limit - len(tail))]
    return Capped(head, tail, len(text))


def _end_matters(text: str) -> bool:
    end = text[-_TAIL_CHARS:].rstrip()
    return end.endswith(("}", "]")) or bool(_TELLING.search(end[-1_000:]))


def end_near(text: str, place: int) -> int:
    """The end of a line, an element or a word at or shortly before `place`; at least 1."""
    lowest = place - int(place * _SLACK)
    for mark in ("\n", "},", "],", ", ", ",", " "):
        found = text.rfind(mark, lowest, place)
        if found > 0:
            return found + len(mark)
    return max(1, _whole_back(text, place))


def _start_at(text: str, place: int) -> int:
    highest = place + int((len(text) - place) * _SLACK)
    for mark in ("\n", "},", "],", ", ", ",", " "):
        found = text.find(mark, place, highest)
        if found >= 0:
            return found + len(mark)
    while place < len(text) and _joins(text[place]):
        place += 1
    return place


def _whole_back(text: str, place: int) -> int:
    while 0 < place < len(text) and (_joins(text[place]) or text[place - 1] == "\u200d"):
        place -= 1
    return place


def _joins(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    return (
        char in "\u200d\ufe0e\ufe0f"
        or unicodedata.combining(char) != 0
        or ("\U0001f3fb" <= char <= "\U0001f3ff")
    )
