"""Files of the workspace that become part of the prompt."""

from __future__ import annotations

import os
import stat
from pathlib import Path

# Characters of one file; what is beyond is cut and marked (runtime.md 10.2, older build).
MAX_CHARS = 20_000
# Bytes that are read at all.
MAX_BYTES = 2_000_000
# Files of this many workspaces are remembered.
_REMEMBERED = 256

_read: dict[Path, tuple[tuple[int, int, int], str]] = {}


def workspace_file(path: Path) -> str:
    """The text of `path`, at most MAX_CHARS of it and a line that says so; "" without a file.

    Links are not followed, so that a workspace cannot pull in what is outside of it. Read again
    only when the file has changed. Never raises for what stands in the file system.
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
    text = _cut(_text(path), path.name)
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


def _cut(text: str, name: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    shown = text[:MAX_CHARS]
    return f"{shown}\n[{name} is cut here: {MAX_CHARS} of {len(text)} characters are shown.]"
