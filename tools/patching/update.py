"""Applies the hunks of one file to its text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.core.errors import ToolError
from tools.patching.document import Hunk
from tools.patching.seek import Found, Lines

# Wanted lines that an error repeats.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Updated:
    """The new text, and a sentence for each hunk that needs one."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _File:
    bodies: list[str]
    endings: list[str]
    out: list[tuple[str, str]] = field(default_factory=list)
    taken: int = 0

    def keep_to(self, at: int) -> None:
        self.out += zip(self.bodies[self.taken : at], self.endings[self.taken : at], strict=True)
        self.taken = at


def apply_hunks(text: str, hunks: Sequence[Hunk], path: str) -> Updated:
    """`text` with every hunk applied, from top to bottom.

    Kept lines stay byte for byte as the file has them, added ones get the line end of their
    surroundings, and a missing line end at the end of the file stays missing. Raises ToolError
    that names the hunk and its line in the patch.
    """
    file = _split(text)
    lines = Lines(file.bodies)
    notes: list[str] = []
    cursor = 0
    for hunk in hunks:
        cursor, note = _apply(file, lines, hunk, cursor, path)
        notes += note
    file.keep_to(len(file.bodies))
    return Updated(_joined(file, text), tuple(notes))


def _split(text: str) -> _File:
    pieces = text.split("\n")
    if pieces[-1] == "":
        pieces.pop()
        endings = ["\n"] * len(pieces)
    else:
        endings = ["\n"] * (len(pieces) - 1) + [""]
    bodies = []
    for number, piece in enumerate(pieces):
        body = piece.removesuffix("\r") if endings[number] else piece
        endings[number] = piece[len(body) :] + endings[number]
        bodies.append(body)
    return _File(bodies, endings)


def _joined(file: _File, before: str) -> str:
    common = _common_ending(file.endings)
    filled = [[body, ending or common] for body, ending in file.out]
    if filled and file.endings and file.endings[-1] == "":
        filled[-1][1] = ""
    return "".join(body + ending for body, ending in filled)


def _common_ending(endings: Sequence[str]) -> str:
    crlf = sum(ending == "\r\n" for ending in endings)
    return "\r\n" if crlf * 2 > len(endings) else "\n"


def _apply(file: _File, lines: Lines, hunk: Hunk, cursor: int, path: str) -> tuple[int, list[str]]:
    for context in hunk.contexts:
        found = lines.find([context], cursor)
        if found is None:
            raise _not_found(hunk, path, [context], cursor, "context")
        cursor = found.at + 1
    if not hunk.old:
        at = cursor if hunk.contexts and not hunk.at_end else len(file.bodies)
        _insert(file, hunk, at)
        return at, []
    found = lines.find(hunk.old, cursor, at_end=hunk.at_end)
    if found is None:
        raise _not_found(hunk, path, hunk.old, cursor, "lines")
    _replace(file, hunk, found.at)
    return found.at + len(hunk.old), _note(found, hunk)


def _insert(file: _File, hunk: Hunk, at: int) -> None:
    file.keep_to(at)
    file.out += [(text, _ending_near(file, at)) for _, text in hunk.lines]


def _replace(file: _File, hunk: Hunk, at: int) -> None:
    file.keep_to(at)
    for mark, text in hunk.lines:
        if mark == "+":
            near = min(file.taken, at + len(hunk.old) - 1)
            file.out.append((text, file.endings[near] or _ending_near(file, near)))
            continue
        if mark == " ":
            file.out.append((file.bodies[file.taken], file.endings[file.taken]))
        file.taken += 1


def _ending_near(file: _File, at: int) -> str:
    """The line end of the line before, or nothing: the file's most usual one is taken then."""
    return file.endings[at - 1] if 0 < at <= len(file.endings) else ""


def _note(found: Found, hunk: Hunk) -> list[str]:
    notes = []
    if found.loose:
        notes.append(f"hunk {hunk.number} matched only after blanks and signs were evened out")
    if found.more:
        notes.append(
            f"the lines of hunk {hunk.number} stand there more than once; line {found.at + 1} was "
            "taken"
        )
    return notes


def _not_found(hunk: Hunk, path: str, wanted: Sequence[str], cursor: int, what: str) -> ToolError:
    shown = "\n".join(wanted[:_SHOWN]) + ("\n…" if len(wanted) > _SHOWN else "")
    after = f" after line {cursor}" if cursor else ""
    return ToolError(
        f"input line {hunk.line}: the {what} of hunk {hunk.number} were not found in "
        f"{path!r}{after}. Read the file and make the patch anew. Not found:\n{shown}"
        if what == "lines"
        else f"input line {hunk.line}: the context of hunk {hunk.number} was not found in "
        f"{path!r}{after}. Read the file and make the patch anew. Not found:\n{shown}"
    )
