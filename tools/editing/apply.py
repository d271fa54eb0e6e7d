"""Applies a set of replacements to a text, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents.core.errors import ToolError
from tools.editing.evened import Evened, even_all, even_line_ends

# Beyond this many characters the map from evened text to original costs too much memory.
_MOST_EVENED = 2_000_000
# Matches that are looked at; more than one is an error anyway.
_MOST_FOUND = 20


_Even = Callable[[str], Evened]
_Places = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which must stand in the text exactly once, by `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text. `evened` has the numbers of the edits that only matched approximately."""

    text: str
    evened: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    new: str
    number: int


def apply_edits(original: str, edits: Sequence[Edit]) -> Edited:
    """All edits matched against `original` and applied together.

    Line ends of `old` and `new` follow the text. An edit that matches nowhere exactly is tried
    again with quotes, dashes, blanks and compatibility forms evened out. Raises ToolError, which
    names the edit, when one matches nowhere or more than once, when two overlap, and when nothing
    would change.
    """
    search = _Search(original)
    spans, evened = [], []
    for number, edit in enumerate(edits):
        start, end, exact = search.place(edit.old, edit.new, number)
        spans.append(_Span(start, end, search.with_line_ends(edit.new), number))
        if not exact:
            evened.append(number)
    spans.sort(key=lambda span: (span.start, span.end))
    _refuse_overlap(spans)
    text = _spliced(original, spans)
    if text == original:
        raise ToolError("edits: nothing would change; every newText equals what is there.")
    return Edited(text, tuple(evened))


class _Search:
    """Finds places in one text; prepares its evened forms once, when they are needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        crlf, lines = text.count("\r\n"), text.count("\n")
        self.line_end = "\r\n" if crlf * 2 > lines else "\n"
        self.mixed = 0 < crlf < lines
        self._evened: dict[_Even, Evened] = {}

    def with_line_ends(self, text: str) -> str:
        """`text` with the line ends that most lines of the file have."""
        return text.replace("\r\n", "\n").replace("\n", self.line_end)

    def place(self, old: str, new: str, number: int) -> tuple[int, int, bool]:
        """Where the only match begins and ends, and whether it is exact. Raises ToolError."""
        if not old:
            raise ToolError(f"edits[{number}].oldText: is empty. To make a new file use write.")
        for exact, find in ((True, self._exact), (False, self._alike)):
            found = find(old)
            if len(found) == 1:
                return *found[0], exact
            if found:
                raise self._ambiguous(found, number)
        raise self._absent(old, new, number)

    def _exact(self, old: str) -> _Places:
        if self.mixed and len(self.text) <= _MOST_EVENED:
            return self._in_evened(even_line_ends, old)
        wanted = self.with_line_ends(old)
        found: _Places = []
        at = self.text.find(wanted)
        while at >= 0 and len(found) < _MOST_FOUND:
            found.append((at, at + len(wanted)))
            at = self.text.find(wanted, at + 1)
        return found

    def _alike(self, old: str) -> _Places:
        return self._in_evened(even_all, old) if len(self.text) <= _MOST_EVENED else []

    def _in_evened(self, even: _Even, old: str) -> _Places:
        wanted = even(old).text
        if not wanted:
            return []
        if even not in self._evened:
            self._evened[even] = even(self.text)
        return self._evened[even].find_all(wanted, _MOST_FOUND)

    def _ambiguous(self, found: _Places, number: int) -> ToolError:
        times = f"{len(found)} times" + (" or more" if len(found) == _MOST_FOUND else "")
        lines = ", ".join(str(line_number(self.text, start)) for start, _ in found[:5])
        return ToolError(
            f"edits[{number}].oldText: stands in the file {times} (lines {lines}), but must stand "
            "there exactly once. Add lines around it until it is unique."
        )

    def _absent(self, old: str, new: str, number: int) -> ToolError:
        hint = "Read the file again and copy the text exactly."
        first = next((line.strip() for line in old.splitlines() if line.strip()), "")
        if new.strip() and (at := self.text.find(self.with_line_ends(new))) >= 0:
            hint = f"newText already stands in line {line_number(self.text, at)}."
        elif first and (at := self.text.find(first)) >= 0:
            line = line_number(self.text, at)
            hint = f"Its first line stands in line {line}; what follows differs."
        return ToolError(f"edits[{number}].oldText: does not stand in the file (0 matches). {hint}")


def line_number(text: str, at: int) -> int:
    """The number of the line, from 1, that the character `at` is in."""
    return text.count("\n", 0, at) + 1


def _refuse_overlap(spans: Sequence[_Span]) -> None:
    for before, after in pairwise(spans):
        if after.start < before.end:
            first, second = sorted((before.number, after.number))
            raise ToolError(
                f"edits[{first}] and edits[{second}] overlap. Make one edit of the two."
            )


def _spliced(original: str, spans: Sequence[_Span]) -> str:
    pieces, at = [], 0
    for span in spans:
        pieces += [original[at : span.start], span.new]
        at = span.end
    return "".join([*pieces, original[at:]])
