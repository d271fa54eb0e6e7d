"""The files of a patch when they are those of a sandbox. Blocking."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from agents.core.errors import ToolError
from tools.patching.files import Subject
from tools.sandbox.bridge import Bridge


class SandboxFiles:
    """Changes several files together. When one cannot be changed, those before are put back."""

    def __init__(self, bridge: Bridge, most_bytes: int) -> None:
        self._bridge = bridge
        self._most_bytes = most_bytes
        self._subjects: dict[str, Subject] = {}
        self._checksums: dict[str, str] = {}
        self._undo: list[Callable[[], object]] = []

    def existing(self, given: str) -> Subject:
        """The file that `given` names. Raises ToolError when it is missing, no file or too
        large."""
        known = self._subjects.get(self._bridge.look(given).shown)
        if known is not None:
            if known.after is None:
                raise ToolError(f"path: {given!r} was deleted earlier in this patch.")
            return known
        with self._bridge.open(given, checksum=True) as file:
            if file.size > self._most_bytes:
                raise ToolError(f"path: {given!r} is larger than {self._most_bytes:,} bytes.")
            data = file.handle.read()
            self._checksums[file.shown] = file.checksum
        subject = Subject(given, file.shown, data, None, data)
        self._subjects[file.shown] = subject
        return subject

    def new(self, given: str) -> Subject:
        """The place of a file that is not there yet. Raises ToolError when something is."""
        if given.endswith("/"):
            raise ToolError(f"path: {given!r} ends with a slash and so names a folder, not a file.")
        found = self._bridge.look(given)
        known = self._subjects.get(found.shown)
        taken = known.after is not None if known else found.kind != "absent"
        if taken:
            raise ToolError(f"path: {given!r} is there already. Use '*** Update File:' for it.")
        subject = known or Subject(given, found.shown, None, None, None)
        self._subjects[found.shown] = subject
        return subject

    def commit(self) -> None:
        """Makes every file what it shall be. Raises ToolError when one could not be; then those
        changed before are put back."""
        try:
            for subject in self._subjects.values():
                if subject.after != subject.before:
                    self._change(subject)
        except BaseException:
            for step in reversed(self._undo):
                with suppress(ToolError):
                    step()
            raise

    def _change(self, subject: Subject) -> None:
        given, before = subject.given, subject.before
        checksum = self._checksums.get(subject.shown, "")
        if subject.after is None:
            self._bridge.remove(given, expected=checksum)
        else:
            self._bridge.write(given, subject.after, expected=checksum or "absent")
        if before is None:
            self._undo.append(lambda: self._bridge.remove(given))
        else:
            self._undo.append(lambda: self._bridge.write(given, before))
