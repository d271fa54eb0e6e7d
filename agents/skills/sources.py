"""Finding skills in folders, with what keeps each from being used.

Nothing of a skill is ever executed here; only its SKILL.md is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.skills.document import MAX_FILE_BYTES, SkillDocument, SkillProblem, skill_read

SKILL_FILE = "SKILL.md"
# runtime.md 9: skills.limits.
MAX_CANDIDATES = 300
MAX_LOADED = 200
# Files that are remembered; a thousand skills and room for change.
_REMEMBERED = 4_096

Signature = tuple[int, int, int]

_read: dict[Path, tuple[Signature, SkillDocument | str]] = {}


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of skills. `source` is what people are told of where a skill comes from."""

    source: str
    path: Path
    max_candidates: int = MAX_CANDIDATES
    max_loaded: int = MAX_LOADED


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """A folder that holds a SKILL.md. `problem` says why it cannot be used, "" when it can."""

    folder: Path
    source: str
    document: SkillDocument | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        """The skill's name, the folder's where it has none."""
        return self.document.name if self.document else self.folder.name

    @property
    def file(self) -> Path:
        """Its SKILL.md."""
        return self.folder / SKILL_FILE


def skills_found(root: Root) -> list[FoundSkill]:
    """Every skill below `root`, in order of the folders' names; [] without such a folder.

    A folder counts as a skill when it has a SKILL.md; one level of grouping folders is looked
    through. Links that lead out of the root are listed with that reason, and so is everything
    beyond the limits. Never raises for what stands in the file system.
    """
    place = _nested(root.path)
    try:
        real = place.resolve(strict=True)
    except (OSError, RuntimeError):
        return []
    found: list[FoundSkill] = []
    loaded = 0
    for number, folder in enumerate(_candidates(place)):
        if number >= root.max_candidates:
            text = f"only the first {root.max_candidates} folders of {place} are looked at"
            found.append(FoundSkill(folder, root.source, problem=text))
            break
        skill = _one(folder, real, root.source)
        if skill.document is not None:
            loaded += 1
            if loaded > root.max_loaded:
                text = f"only the first {root.max_loaded} skills of a folder are used"
                skill = FoundSkill(folder, root.source, problem=text)
        found.append(skill)
    return found


def _nested(path: Path) -> Path:
    """`path`, or its folder `skills` where a whole repository was named."""
    inner = path / "skills"
    if (path / SKILL_FILE).exists() or not inner.is_dir():
        return path
    return inner


def _candidates(root: Path) -> Iterator[Path]:
    for folder in _folders(root):
        if os.path.lexists(folder / SKILL_FILE):
            yield folder
        else:
            yield from (inner for inner in _folders(folder) if os.path.lexists(inner / SKILL_FILE))


def _folders(path: Path) -> Iterable[Path]:
    try:
        with os.scandir(path) as entries:
            names = [
                entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()
            ]
    except OSError:
        return []
    return [path / name for name in sorted(names)]


def _one(folder: Path, root: Path, source: str) -> FoundSkill:
    file = folder / SKILL_FILE
    try:
        status = file.lstat()
        # Finding out where a path really leads is slow, and only links can lead away.
        linked = stat.S_ISLNK(status.st_mode) or _linked(folder, root)
        if linked and not file.resolve(strict=True).is_relative_to(root):
            return FoundSkill(folder, source, problem=f"a link leads out of {root}")
        status = file.stat() if linked else status
    except (OSError, RuntimeError) as error:
        return FoundSkill(folder, source, problem=f"cannot be read: {_words(error)}")
    signature = (status.st_mtime_ns, status.st_size, status.st_ino)
    known = _read.get(file)
    if known is None or known[0] != signature:
        known = (signature, _document(file, status, folder.name))
        if len(_read) >= _REMEMBERED:
            _read.clear()
        _read[file] = known
    if isinstance(known[1], str):
        return FoundSkill(folder, source, problem=known[1])
    return FoundSkill(folder, source, document=known[1])


def _linked(folder: Path, root: Path) -> bool:
    return folder.is_symlink() or (folder.parent != root and folder.parent.is_symlink())


def _document(file: Path, status: os.stat_result, folder: str) -> SkillDocument | str:
    """The document, or why there is none. Never waits on a pipe or a device."""
    if not stat.S_ISREG(status.st_mode):
        return "SKILL.md is no ordinary file"
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            return skill_read(opened.read(MAX_FILE_BYTES + 1), folder=folder)
    except SkillProblem as problem:
        return str(problem)
    except OSError as error:
        return f"cannot be read: {_words(error)}"


def _words(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
