"""Finds a run of lines in a file, at first exactly, then ever less strictly. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools.editing.evened import even_all


def _unchanged(line: str) -> str:
    return line


def _alike(line: str) -> str:
    return even_all(line).text.strip()


# runtime.md 4.1: exact, blanks at line ends, blanks on both sides, signs that look alike.
_PASSES: tuple[Callable[[str], str], ...] = (_unchanged, str.rstrip, str.strip, _alike)


@dataclass(frozen=True, slots=True)
class Found:
    """Where it stands. `loose` says that it was not found exactly, `more` that the same lines come
    again further down."""

    at: int
    loose: bool
    more: bool


class Lines:
    """The lines of a file, each in every form in which it is compared (made when needed)."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._forms: dict[int, list[str]] = {0: list(lines)}

    def __len__(self) -> int:
        return len(self._forms[0])

    def find(self, wanted: Sequence[str], start: int, *, at_end: bool = False) -> Found | None:
        """The first place from `start` on where all of `wanted` stand, by the strictest pass that
        finds any. With `at_end` the end of the file is looked at before everything else."""
        for number, form in enumerate(_PASSES):
            if number not in self._forms:
                self._forms[number] = [form(line) for line in self._forms[0]]
            places = _places(self._forms[number], [form(line) for line in wanted], start, at_end)
            if places:
                return Found(places[0], number > 0, len(places) > 1)
        return None


def _places(lines: list[str], wanted: list[str], start: int, at_end: bool) -> list[int]:
    """At most two places; only one for a match at the end that was asked for."""
    last = len(lines) - len(wanted)
    if at_end and last >= start and lines[last:] == wanted:
        return [last]
    found: list[int] = []
    at = start
    while len(found) < 2 and at <= last:
        try:
            at = lines.index(wanted[0], at, last + 1)
        except ValueError:
            break
        if lines[at : at + len(wanted)] == wanted:
            found.append(at)
        at += 1
    return found
