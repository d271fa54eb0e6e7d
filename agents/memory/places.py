"""Which files are an agent's memory, and whose each of them is."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agents.core.principal import Principal

# Whoever talks to the agent may be reminded of what is shared; the rest is the owner's, but for the
# notes in a folder of a person, which are that person's alone.
SHARED = "shared"
OWNER = "owner"
_PERSON = "person:"
# More is no memory but an archive; the newest names are kept.
MAX_FILES = 5_000
MAX_BYTES = 2_000_000
_MEMORY = ("MEMORY.md", "memory.md")
_FOLDER = "memory"
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A note. `path` is relative to the workspace, `signature` changes with the file."""

    path: str
    audience: str
    signature: str


def audience_of(path: str) -> str:
    """Whose the note at `path` (relative to the workspace) is."""
    parts = path.split("/")
    if parts[:2] == [_FOLDER, "shared"]:
        return SHARED
    if parts[:2] == [_FOLDER, "people"]:
        # A note that lies beside the people's folders is nobody's but the owner's.
        return f"{_PERSON}{parts[2]}" if len(parts) > 3 else OWNER
    return OWNER


def audiences_for(principal: Principal) -> tuple[str, ...]:
    """The notes that may be recalled for this person. Another person's are never among them."""
    own = (f"{_PERSON}{principal.id}",) if principal.id else ()
    return (SHARED, OWNER, *own) if principal.is_owner else (SHARED, *own)


def notes_folder(principal: Principal) -> str:
    """The folder where notes of a conversation with this person belong."""
    return _FOLDER if principal.is_owner else f"{_FOLDER}/people/{principal.id}"


def is_memory(path: str) -> bool:
    """Whether `path` (relative, no `..`) names a note."""
    return path in _MEMORY or (path.startswith(f"{_FOLDER}/") and path.endswith(".md"))


def memory_files(workspace: Path) -> list[MemoryFile]:
    """Every note of the workspace, in order of the paths. Links are left out.

    Never raises for what stands in the file system.
    """
    found: list[MemoryFile] = []
    for name in _MEMORY:
        with suppress(OSError):
            _add(found, name, os.lstat(workspace / name))
    _below(str(workspace / _FOLDER), _FOLDER, found)
    return sorted(found, key=lambda file: file.path)[-MAX_FILES:]


def note_date(path: str) -> tuple[int, int, int] | None:
    """Year, month and day in the name of a daily note; None for every other."""
    found = _DATE.search(Path(path).name)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def note_read(workspace: Path, path: str) -> str:
    """The text of a note, "" when it is not there or no ordinary file. Follows no links."""
    try:
        if (workspace / path).resolve() != workspace.resolve() / path:
            return ""
        descriptor = os.open(workspace / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            return file.read(MAX_BYTES).decode("utf-8-sig", errors="replace")
    except (OSError, ValueError, RuntimeError):
        return ""


def _below(place: str, path: str, found: list[MemoryFile]) -> None:
    """Adds the notes of a folder and of those in it. Texts and not Paths: they may be thousands."""
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                name = f"{path}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        _below(entry.path, name, found)
                elif entry.name.endswith(".md"):
                    _add(found, name, entry.stat(follow_symlinks=False))
    except OSError:
        return


def _add(found: list[MemoryFile], path: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
        signature = f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"
        found.append(MemoryFile(path, audience_of(path), signature))
