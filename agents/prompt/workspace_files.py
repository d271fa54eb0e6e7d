"""Files of the workspace that become part of the prompt."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Characters of one file and of all together (runtime.md 10.2, older build); settings
# bootstrapMaxChars and bootstrapTotalMaxChars.
MAX_CHARS = 20_000
MAX_TOTAL_CHARS = 150_000
# A file that is too long keeps these parts of its room from its beginning and its end.
_HEAD, _TAIL = 0.7, 0.2
# With less room than this a file is left out.
_LEAST = 64
# Bytes that are read at all.
MAX_BYTES = 2_000_000
# Files of this many workspaces are remembered.
_REMEMBERED = 2_048

_read: dict[Path, tuple[tuple[int, int, int], str]] = {}


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file as the prompt shows it. `chars` is how long it is, `text` what is shown of it."""

    name: str
    text: str
    chars: int

    @property
    def is_cut(self) -> bool:
        """Whether something of it is missing."""
        return len(self.text) < self.chars or "[…" in self.text


def project_files(
    workspace: Path,
    names: Sequence[str],
    *,
    max_chars: int = MAX_CHARS,
    max_total: int = MAX_TOTAL_CHARS,
) -> tuple[ProjectFile, ...]:
    """The files of `names` that are there and say something, within the limits.

    What is too long keeps its beginning and its end, with a line between them that says so; what
    no longer fits is named and left out. Links are not followed, so that a workspace cannot pull
    in what is outside of it. Never raises for what stands in the file system.
    """
    found: list[ProjectFile] = []
    left = max_total
    for name in names:
        text = workspace_file(workspace / name)
        if not text:
            continue
        room = min(max_chars, left)
        if room < _LEAST:
            shown = (
                f"[{name} is left out: {len(text)} characters would be too many. Read the file.]"
            )
        else:
            shown = shortened(text, name, room)
        left -= len(shown)
        found.append(ProjectFile(name, shown, len(text)))
    return tuple(found)


def shortened(text: str, name: str, room: int) -> str:
    """`text` in at most `room` characters; a cut is marked with the file's name and the numbers."""
    if len(text) <= room:
        return text
    mark = (
        f"\n[… {name} is cut here: {{kept}} of {len(text)} characters are shown. "
        "Read the file for the rest. …]\n"
    )
    usable = max(0, room - len(mark) - len(str(room)))
    head = text[: int(usable * _HEAD / (_HEAD + _TAIL))]
    tail = text[len(text) - (usable - len(head)) :] if usable > len(head) else ""
    return f"{head}{mark.format(kept=len(head) + len(tail))}{tail}"[:room]


def workspace_file(path: Path) -> str:
    """The text of `path` without blank lines around it; "" without an ordinary file.

    Read again only when the file has changed.
    """
    try:
        status = path.lstat()
    except OSError:
        return ""
    if not stat.S_ISREG(status.st_mode):
        return ""
    signature = (status.st_mtime_ns, status.st_size, status.st_ino)
    known = _read.get(path)
    if known is not None and known[0] == signature:
        return known[1]
    text = _text(path)
    if len(_read) >= _REMEMBERED:
        _read.clear()
    _read[path] = (signature, text)
    return text


def _text(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_BYTES).decode(errors="replace").strip()
    except OSError:
        return ""
