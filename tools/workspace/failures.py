"""Says why a file could not be used, in words that name the way out."""

from __future__ import annotations

import errno
import os
from difflib import get_close_matches

from agents.core.errors import ToolError

_REASONS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOTDIR: "a name on the way is a file, not a folder",
    errno.EISDIR: "is a folder, not a file",
    errno.ELOOP: "changed into a symlink while it was being opened",
    errno.ENAMETOOLONG: "a name in it is too long for this disk",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk is read-only",
    errno.ENXIO: "is a socket or device, not a file",
}

# Enough for any folder a person keeps; a larger one is not searched through.
_MOST_NAMES = 5_000


def explained(error: OSError, given: str) -> ToolError:
    """The operating system's error as a ToolError that names the path."""
    reason = _REASONS.get(error.errno or 0) or os.strerror(error.errno or 0)
    return ToolError(f"path: {given!r}: {reason}.")


def missing(given: str, name: str, folder: int) -> ToolError:
    """The error for `name` not being in the open folder, with the nearest names there."""
    nearest = _nearest(name, folder_names(folder))
    hint = f" Nearest names there: {', '.join(nearest)}." if nearest else ""
    return ToolError(f"path: {given!r} not found: there is no {name!r}.{hint}")


def folder_names(folder: int) -> list[str]:
    """The names in the open folder, folders with a slash at the end, sorted; at most 5,000."""
    try:
        with os.scandir(folder) as entries:
            first = [entry for entry, _ in zip(entries, range(_MOST_NAMES), strict=False)]
            return sorted(_printable(entry) for entry in first)
    except OSError:
        return []


def _printable(entry: os.DirEntry[str]) -> str:
    name = os.fsencode(entry.name).decode(errors="replace")
    return name + "/" if entry.is_dir(follow_symlinks=False) else name


def _nearest(name: str, names: list[str]) -> list[str]:
    folded = {known.rstrip("/").casefold(): known for known in names}
    return [folded[key] for key in get_close_matches(name.casefold(), folded, n=3)]
