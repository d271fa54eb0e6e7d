"""Applies a parsed patch to a workspace. Blocking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from tools.editing.diff import diff_of
from tools.encoding import detect_encoding
from tools.patching.document import AddFile, DeleteFile, Section, UpdateFile
from tools.patching.files import FileSet, Subject
from tools.patching.update import apply_hunks

MOST_BYTES = 16 * 1024 * 1024
# Characters of the differences of all files together, for people.
_MOST_DIFF = 50_000


class PatchedFiles(Protocol):
    """The files that a patch is about, and the step that makes all changes or none."""

    def existing(self, given: str) -> Subject:
        """The file that `given` names. Raises ToolError when it cannot be changed."""
        ...

    def new(self, given: str) -> Subject:
        """The place of a file that is not there yet. Raises ToolError when something is."""
        ...

    def commit(self) -> None:
        """Makes every file what it shall be. Raises ToolError, and then all are as they were."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one path, relative to the workspace: added, modified or deleted."""

    kind: Literal["A", "M", "D"]
    path: str


@dataclass(frozen=True, slots=True)
class Applied:
    """All changes in the order of the patch, notes for whoever made it, and a unified diff."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    diff: str


def patch_apply(
    root: Path, sections: Sequence[Section], *, resolve: Callable[[str], str] = str
) -> Applied:
    """Carries out every section, or none. `resolve` gets each path before it is used.

    Raises ToolError that names the section's line in the patch; then every file of the workspace
    is as it was before.
    """
    with closing(FileSet(root, MOST_BYTES)) as files:
        return sections_apply(files, sections, resolve=resolve)


def sections_apply(
    files: PatchedFiles, sections: Sequence[Section], *, resolve: Callable[[str], str] = str
) -> Applied:
    """The same for files wherever they are. Raises ToolError."""
    work = _Work(files, resolve)
    for section in sections:
        try:
            work.take(section)
        except ToolError as error:
            raise _placed(error, section) from None
    files.commit()
    return Applied(tuple(work.changes), tuple(work.notes), "\n".join(work.diffs)[:_MOST_DIFF])


def _placed(error: ToolError, section: Section) -> ToolError:
    """The error with the section's line in front, if it names none itself."""
    if error.message.startswith("input"):
        return error
    return ToolError(f"input line {section.line}: {error.message} Nothing was changed.")


class _Work:
    def __init__(self, files: PatchedFiles, resolve: Callable[[str], str]) -> None:
        self._files = files
        self._resolve = resolve
        self.changes: list[Change] = []
        self.notes: list[str] = []
        self.diffs: list[str] = []

    def take(self, section: Section) -> None:
        if isinstance(section, AddFile):
            self._add(section)
        elif isinstance(section, DeleteFile):
            self._delete(section)
        else:
            self._update(section)

    def _add(self, section: AddFile) -> None:
        subject = self._files.new(self._resolve(section.path))
        subject.after = section.text.encode()
        self._changed("A", subject.shown, "", section.text)

    def _delete(self, section: DeleteFile) -> None:
        subject = self._files.existing(self._resolve(section.path))
        subject.after = None
        self._changed("D", subject.shown)

    def _update(self, section: UpdateFile) -> None:
        subject = self._files.existing(self._resolve(section.path))
        text = self._updated(subject, section) if section.hunks else subject.after
        if not section.move_to:
            subject.after = text
            self.changes.append(Change("M", subject.shown))
            return
        target = self._files.new(self._resolve(section.move_to))
        target.after, target.model = text, subject.status
        subject.after = None
        self.changes.append(Change("D", subject.shown))
        self.changes.append(Change("A", target.shown))

    def _updated(self, subject: Subject, section: UpdateFile) -> bytes:
        data = subject.after or b""
        encoding = detect_encoding(data)
        if encoding is None:
            raise ToolError(f"path: {section.path!r} is a binary file; a patch changes text only.")
        before = encoding.decode(data)
        updated = apply_hunks(before, section.hunks, section.path)
        self.notes += [f"{subject.shown}: {note}." for note in updated.notes]
        self.diffs.append(diff_of(clean_text(before), clean_text(updated.text), subject.shown))
        return encoding.encode(updated.text)

    def _changed(self, kind: Literal["A", "D"], shown: str, old: str = "", new: str = "") -> None:
        self.changes.append(Change(kind, shown))
        if new:
            self.diffs.append(diff_of(old, new, shown))
