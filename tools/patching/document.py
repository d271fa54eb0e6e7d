"""The parts of a patch: which files it makes, deletes and changes. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hunk:
    """One changed place. `number` counts from 1 in its file, `line` is its line in the patch.

    `contexts` are lines to find first, one after the other; `lines` are pairs of a mark (" " for
    kept, "-" for removed, "+" for added) and the text; `at_end` says that it ends the file.
    """

    number: int
    line: int
    contexts: tuple[str, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    at_end: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be in the file."""
        return tuple(text for mark, text in self.lines if mark != "+")


@dataclass(frozen=True, slots=True)
class AddFile:
    """A new file with its whole text."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A file that shall be gone."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """A file with changed places; with `move_to` it gets another path as well."""

    path: str
    line: int
    hunks: tuple[Hunk, ...]
    move_to: str = ""


Section = AddFile | DeleteFile | UpdateFile
