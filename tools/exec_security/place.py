"""Where a command starts, and which file a name stands for there."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

# Where the system's own programs are.
SYSTEM_FOLDERS = ("/bin", "/usr/bin")


@dataclass(frozen=True, slots=True)
class Place:
    """`folders` are those in which the command may be at this point; `path` is its PATH."""

    workspace: Path
    folders: frozenset[Path]
    path: str
    home: Path
    trusted: tuple[str, ...] = SYSTEM_FOLDERS

    @property
    def in_workspace(self) -> bool:
        """Whether it is surely inside the workspace."""
        return all(self.holds(folder) for folder in self.folders)

    def holds(self, path: Path) -> bool:
        """Whether a path leads into the workspace, links followed. It need not exist."""
        try:
            return path.resolve().is_relative_to(self.workspace.resolve())
        except (OSError, RuntimeError):
            return False

    def holds_relative(self, text: str) -> bool:
        """Whether a path stays in the workspace from every folder the command may be in."""
        return all(self.holds(folder / text) for folder in self.folders)

    def is_folder(self, text: str) -> bool:
        """Whether a path is a folder from any folder the command may be in."""
        return any(is_folder(folder / text) for folder in self.folders)


def is_there(path: Path) -> bool:
    """Whether something stands at a path. Never raises, as Path.exists does for long names."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: Path) -> bool:
    """Whether a path is a folder, links followed. Never raises."""
    return os.path.isdir(path)  # noqa: PTH112


@dataclass(frozen=True, slots=True)
class Executable:
    """`found` as it is called, `real` where the links end, `by_path`: looked up over PATH."""

    found: Path
    real: Path
    by_path: bool

    def is_system(self, place: Place) -> bool:
        """Whether it stands, called and real, in a trusted folder."""
        trusted = {folder for name in place.trusted for folder in (name, os.path.realpath(name))}
        return str(self.found.parent) in trusted and str(self.real.parent) in trusted


def executable_find(name: str, place: Place) -> Executable | None:
    """The program that a shell would run for `name`; None when that is not one known file."""
    if "/" in name:
        candidates = {folder / name for folder in place.folders}
        return _executable(candidates.pop(), by_path=False) if len(candidates) == 1 else None
    for folder in place.path.split(":"):
        if not folder.startswith("/"):
            # A relative entry depends on where the command is at that time.
            return None
        if found := _executable(Path(folder) / name, by_path=True):
            return found
    return None


def _executable(path: Path, *, by_path: bool) -> Executable | None:
    try:
        real = path.resolve(strict=True)
        is_file = stat.S_ISREG(real.stat().st_mode)
    except (OSError, RuntimeError, ValueError):
        return None
    if not is_file or not os.access(real, os.X_OK):
        return None
    return Executable(Path(os.path.normpath(path)), real, by_path)
