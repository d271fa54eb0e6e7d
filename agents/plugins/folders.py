"""Plugins that lie in folders: found and looked at, never imported here.

Whoever can write into such a folder would run inside the gateway, so only folders that nobody else
can write to, and that do not lead elsewhere, are taken.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.plugins.manifest import Manifest, ManifestError, manifest_file, manifest_read

# More than any plugin has; a folder with more is something else.
MAX_FILES = 5_000
MAX_FOLDERS = 200


@dataclass(frozen=True, slots=True)
class PluginFolder:
    """A folder with a manifest. `problem` says why it cannot be used."""

    path: Path
    manifest: Manifest
    problem: str = ""


def plugin_folders(roots: Iterable[Path]) -> list[PluginFolder]:
    """Every plugin below the roots, one level deep, in order; a root may be a plugin itself."""
    return [_looked_at(folder, root) for root in roots for folder in _candidates(root)]


def _candidates(root: Path) -> Iterator[Path]:
    if manifest_file(root) is not None:
        yield root
        return
    try:
        inner = sorted(entry for entry in root.iterdir() if not entry.name.startswith("."))
    except OSError:
        return
    yield from [entry for entry in inner if manifest_file(entry) is not None][:MAX_FOLDERS]


def _looked_at(folder: Path, root: Path) -> PluginFolder:
    file = manifest_file(folder)
    manifest = Manifest(id=folder.name)
    problem = _danger(folder, root)
    if problem or file is None:
        return PluginFolder(folder, manifest, problem)
    try:
        return PluginFolder(folder, manifest_read(file))
    except ManifestError as error:
        return PluginFolder(folder, manifest, str(error))


def _danger(folder: Path, root: Path) -> str:
    """Why nothing in `folder` may be trusted, "" when it may."""
    real = folder.resolve()
    if not real.is_relative_to(root.resolve()):
        return "it is a link that leads out of the folder of plugins"
    return _open_to_others(root) or next(_problems(real), "")


def _problems(folder: Path) -> Iterator[str]:
    for number, path in enumerate(_inside(folder)):
        if number > MAX_FILES:
            yield f"it has more than {MAX_FILES} files"
            return
        if problem := _problem(path, folder):
            yield problem


def _inside(folder: Path) -> Iterator[Path]:
    yield folder
    for place, folders, files in os.walk(folder):
        yield from (Path(place) / name for name in (*folders, *files))


def _problem(path: Path, folder: Path) -> str:
    if path.is_symlink():
        if not path.resolve().is_relative_to(folder):
            return f"{path.relative_to(folder)} is a link that leads out of its folder"
        return ""
    return _open_to_others(path)


def _open_to_others(path: Path) -> str:
    try:
        facts = path.stat()
    except OSError as error:
        return f"{path.name} cannot be read: {error.strerror}"
    if facts.st_mode & stat.S_IWOTH:
        return f"everybody can write to {path.name}; take that right away (chmod o-w)"
    if facts.st_uid not in (0, os.geteuid()):
        return f"{path.name} belongs to another user of this machine"
    return ""
