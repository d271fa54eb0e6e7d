"""Finding skills in folders, with what keeps each from being used.

Nothing of a skill is ever executed here; only its SKILL.md is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.core.registry import Registry
from agents.skills.document import MAX_FILE_BYTES, SkillDocument, SkillProblem, skill_read

SKILL_FILE = "SKILL.md"
# runtime.md 9: skills.limits.
MAX_CANDIDATES = 300
MAX_LOADED = 200
# Files that are remembered; a thousand skills and room for change.
_REMEMBERED = 4_096

# Folders of skills that plugins bring, by "<plugin>/<folder>".
PLUGIN_FOLDERS: Registry[Path] = Registry("folder of skills")

Signature = tuple[int, int, int]


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


_read: dict[tuple[str, str], tuple[Signature, FoundSkill]] = {}


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
    for number, (folder, linked) in enumerate(_candidates(place)):
        if number >= root.max_candidates:
            text = f"only the first {root.max_candidates} folders of {place} are looked at"
            found.append(FoundSkill(Path(folder), root.source, problem=text))
            break
        skill = _one(folder, linked, real, root.source)
        if skill.document is not None:
            loaded += 1
            if loaded > root.max_loaded:
                text = f"only the first {root.max_loaded} skills of a folder are used"
                skill = FoundSkill(Path(folder), root.source, problem=text)
        found.append(skill)
    return found


def _nested(path: Path) -> Path:
    """`path`, or its folder `skills` where a whole repository was named."""
    inner = path / "skills"
    if (path / SKILL_FILE).exists() or not inner.is_dir():
        return path
    return inner


def _candidates(root: Path) -> Iterator[tuple[str, bool]]:
    """Folders with a SKILL.md, and whether a link was followed to reach them.

    Texts and not Paths: a thousand skills are looked at again and again.
    """
    for folder, linked in _folders(str(root)):
        if os.path.lexists(f"{folder}/{SKILL_FILE}"):
            yield folder, linked
            continue
        for inner, inner_linked in _folders(folder):
            if os.path.lexists(f"{inner}/{SKILL_FILE}"):
                yield inner, linked or inner_linked


def _folders(path: str) -> list[tuple[str, bool]]:
    try:
        with os.scandir(path) as entries:
            found = [
                (entry.path, entry.is_symlink())
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir()
            ]
    except OSError:
        return []
    return sorted(found)


def _one(folder: str, linked: bool, root: Path, source: str) -> FoundSkill:
    file = f"{folder}/{SKILL_FILE}"
    try:
        status = os.lstat(file)
        # Finding out where a path really leads is slow, and only links can lead away.
        if linked or stat.S_ISLNK(status.st_mode):
            if not Path(file).resolve(strict=True).is_relative_to(root):
                text = f"a link leads out of {root}"
                return FoundSkill(Path(folder), source, problem=text)
            status = os.stat(file)  # noqa: PTH116
    except (OSError, RuntimeError) as error:
        return FoundSkill(Path(folder), source, problem=f"cannot be read: {_words(error)}")
    return _read_anew(file, folder, status, source)


def _read_anew(file: str, folder: str, status: os.stat_result, source: str) -> FoundSkill:
    """The skill, from what is remembered when its file is still the same."""
    signature = (status.st_mtime_ns, status.st_size, status.st_ino)
    known = _read.get((file, source))
    if known is not None and known[0] == signature:
        return known[1]
    place = Path(folder)
    document = _document(Path(file), status, place.name)
    if isinstance(document, str):
        skill = FoundSkill(place, source, problem=document)
    else:
        skill = FoundSkill(place, source, document=document)
    if len(_read) >= _REMEMBERED:
        _read.clear()
    _read[file, source] = (signature, skill)
    return skill


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
