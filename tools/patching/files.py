"""Changes several files of the workspace together: all of them or none. Blocking.

Everything is looked at and every new content is written beside its place first; what is left then
are renames. The old files are kept as second links until the last one is done, so that a failure
puts each of them back with its content, mode and owner.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from agents.core.errors import ToolError
from tools.workspace.failures import explained
from tools.workspace.files import open_file, same_file, status_of
from tools.workspace.walk import Place, walk_to

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.EXDEV)


@dataclass(slots=True)
class Subject:
    """One file: as it was (`before` None: not there) and as it shall be (`after` None: gone)."""

    given: str
    shown: str
    before: bytes | None
    status: os.stat_result | None
    after: bytes | None
    # Whose mode a new file gets: that of the file it was moved from.
    model: os.stat_result | None = None


@dataclass(slots=True)
class FileSet:
    """Files of one workspace as a patch sees them, and the step that makes it true."""

    root: Path
    most_bytes: int
    subjects: dict[str, Subject] = field(default_factory=dict)
    _made: list[str] = field(default_factory=list)
    _undo: list[Callable[[], None]] = field(default_factory=list)
    _leftovers: list[tuple[str, str]] = field(default_factory=list)

    def existing(self, given: str) -> Subject:
        """The file that `given` names. Raises ToolError when it is missing, no file, too large,
        or outside."""
        with walk_to(self.root, given) as place:
            known = self.subjects.get(place.shown)
        if known is not None:
            if known.after is None:
                raise ToolError(f"path: {given!r} was deleted earlier in this patch.")
            return known
        with open_file(self.root, given) as file:
            if file.status.st_size > self.most_bytes:
                raise ToolError(f"path: {given!r} is larger than {self.most_bytes:,} bytes.")
            data = file.handle.read()
            subject = Subject(given, file.shown, data, file.status, data)
        self.subjects[subject.shown] = subject
        return subject

    def new(self, given: str) -> Subject:
        """The place of a file that is not there yet; missing folders are made, and unmade by
        `close`. Raises ToolError when something is there already."""
        if given.endswith("/"):
            raise ToolError(f"path: {given!r} ends with a slash and so names a folder, not a file.")
        with walk_to(self.root, given, create=True, made=self._made) as place:
            known = self.subjects.get(place.shown)
            status = known and known.status if known else status_of(place, given)
            taken = known.after is not None if known else status is not None
            if taken:
                raise ToolError(f"path: {given!r} is there already. Use '*** Update File:' for it.")
            subject = known or Subject(given, place.shown, None, None, None)
        self.subjects[subject.shown] = subject
        return subject

    def commit(self) -> None:
        """Makes every file what it shall be. Raises ToolError when one could not be; then all are
        as they were."""
        changed = [one for one in self.subjects.values() if one.after != one.before]
        try:
            staged = [(one, self._stage(one)) for one in changed]
            for subject, temporary in staged:
                self._put(subject, temporary)
        except BaseException:
            for step in reversed(self._undo):
                with suppress(OSError, ToolError):
                    step()
            raise
        self._made.clear()

    def close(self) -> None:
        """Removes what is only needed meanwhile. Never raises."""
        for given, name in self._leftovers:
            self._quietly(given, partial(_unlink, name))
        for shown in reversed(self._made):
            self._quietly(shown, lambda place: os.rmdir(place.name, dir_fd=place.folder))

    def _stage(self, subject: Subject) -> str:
        if subject.after is None:
            return ""
        temporary = f".openclaw-{secrets.token_hex(8)}.tmp"
        with walk_to(self.root, subject.given) as place:
            self._leftovers.append((subject.given, temporary))
            try:
                descriptor = os.open(temporary, _CREATE, 0o666, dir_fd=place.folder)
                with os.fdopen(descriptor, "wb") as handle:
                    _keep_mode(descriptor, subject.status or subject.model)
                    handle.write(subject.after)
            except OSError as error:
                raise explained(error, subject.given) from None
        return temporary

    def _put(self, subject: Subject, temporary: str) -> None:
        given = subject.given
        with walk_to(self.root, given) as place:
            now = status_of(place, given)
            unchanged = now is None if subject.status is None else same_file(subject.status, now)
            if not unchanged or place.shown != subject.shown:
                raise ToolError(
                    f"path: {given!r} is being changed by somebody else. Read it again."
                )
            try:
                if subject.status is not None:
                    self._keep_old(place, subject)
                if temporary:
                    os.rename(
                        temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder
                    )
                    if subject.status is None:
                        self._undo.append(lambda: self._remove(subject))
                else:
                    os.unlink(place.name, dir_fd=place.folder)
            except OSError as error:
                raise explained(error, given) from None

    def _keep_old(self, place: Place, subject: Subject) -> None:
        backup = f".openclaw-{secrets.token_hex(8)}.old"
        self._leftovers.append((subject.given, backup))
        try:
            os.link(place.name, backup, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            _copy(place, backup)
        self._undo.append(lambda: self._restore(subject, backup))

    def _restore(self, subject: Subject, backup: str) -> None:
        with walk_to(self.root, subject.given) as place:
            os.rename(backup, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)

    def _remove(self, subject: Subject) -> None:
        with walk_to(self.root, subject.given) as place:
            os.unlink(place.name, dir_fd=place.folder)

    def _quietly(self, given: str, step: Callable[[Place], None]) -> None:
        with suppress(OSError, ToolError), walk_to(self.root, given) as place:
            step(place)


def _unlink(name: str, place: Place) -> None:
    os.unlink(name, dir_fd=place.folder)


def _keep_mode(descriptor: int, before: os.stat_result | None) -> None:
    if before is None:
        return
    with suppress(OSError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, before.st_mode & 0o777)


def _copy(place: Place, backup: str) -> None:
    source = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)
    with os.fdopen(source, "rb") as old:
        target = os.open(backup, _CREATE, 0o600, dir_fd=place.folder)
        with os.fdopen(target, "wb") as new:
            _keep_mode(target, os.fstat(source))
            shutil.copyfileobj(old, new)
