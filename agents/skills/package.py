"""A skill that shall be installed: its files in memory, checked, with one hash over them all.

Nothing of it is executed: a git repository is cloned without hooks and filters, a zip is read
member by member, links are refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agents.core.errors import UserError
from agents.skills.document import SkillDocument, SkillProblem, skill_read
from agents.skills.sources import SKILL_FILE

# A skill is a few texts and scripts; what is larger is something else.
MAX_FILES = 200
MAX_BYTES = 10_000_000
_GIT_SECONDS = 120.0
_GIT = re.compile(r"(https://|ssh://|git@|file://).+|.+\.git\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}\n?\Z")


@dataclass(frozen=True, slots=True)
class Package:
    """`files` by path, in order; `digest` is the SHA-256 over paths and contents. `commit` is the
    git commit that it is from, "" for other sources."""

    source: str
    document: SkillDocument
    files: dict[str, bytes]
    digest: str
    commit: str = ""


def package_read(source: str) -> Package:
    """The skill in a folder, a zip file or a git repository (`URL#folder` for a part of it).

    Raises UserError that says what keeps it from being installed.
    """
    address, _, inner = source.partition("#")
    if _GIT.match(address):
        return _from_git(source, address, inner)
    path = Path(address).expanduser()
    if path.is_dir():
        return _package(source, _folder_files(path / inner))
    if zipfile.is_zipfile(path):
        return _package(source, _zip_files(path, inner))
    raise UserError(f"{source} is no folder, no zip file and no git address.")


def digest_of(files: dict[str, bytes]) -> str:
    """One hash for all files: a change of any name or byte changes it."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(f"{name}\0{len(files[name])}\0".encode())
        total.update(files[name])
    return total.hexdigest()


def _package(source: str, files: dict[str, bytes], commit: str = "") -> Package:
    if SKILL_FILE not in files:
        raise UserError(f"{source} holds no {SKILL_FILE}. Name the folder that does.")
    try:
        document = skill_read(files[SKILL_FILE])
    except SkillProblem as problem:
        raise UserError(f"{source}: {problem}") from problem
    ordered = {name: files[name] for name in sorted(files)}
    return Package(source, document, ordered, digest_of(ordered), commit)


def _from_git(source: str, address: str, inner: str) -> Package:
    if shutil.which("git") is None:
        raise UserError("git is not installed, so nothing can be fetched from a repository.")
    with tempfile.TemporaryDirectory(prefix="openclaw-skill-") as place:
        _git(["clone", "--quiet", "--depth", "1", "--no-tags", "--", address, "repository"], place)
        folder = Path(place) / "repository"
        commit = _git(["rev-parse", "HEAD"], str(folder))
        if not _COMMIT.match(commit):
            raise UserError(f"{address} has no commit.")
        return _package(source, _folder_files(folder / inner, within=folder), commit.strip())


def _git(arguments: list[str], folder: str) -> str:
    safe = [
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.symlinks=true",
        "-c",
        "protocol.ext.allow=never",
    ]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": folder,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
    }
    try:
        done = subprocess.run(
            ["git", *safe, *arguments],  # noqa: S607
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"git took longer than {_GIT_SECONDS:.0f} seconds.") from error
    if done.returncode:
        raise UserError(f"git failed: {done.stderr.strip()[-400:]}")
    return done.stdout


def _folder_files(folder: Path, within: Path | None = None) -> dict[str, bytes]:
    real = folder.resolve()
    if within is not None and not real.is_relative_to(within.resolve()):
        raise UserError(f"{folder.name} leads out of the repository.")
    files: dict[str, bytes] = {}
    size = 0
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{name} is a link or no ordinary file; a skill may hold only files.")
        size += status.st_size
        _check_size(len(files) + 1, size)
        files[name] = path.read_bytes()
    return files


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        here = Path(place)
        yield from (here / name for name in folders if (here / name).is_symlink())
        yield from (here / name for name in sorted(names))


def _zip_files(path: Path, inner: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    size = 0
    with zipfile.ZipFile(path) as archive:
        members = [one for one in archive.infolist() if not one.is_dir()]
        base = _zip_base(members, inner)
        for member in members:
            name = _zip_name(member)
            if base and not name.startswith(f"{base}/"):
                continue
            size += member.file_size
            _check_size(len(files) + 1, size)
            with archive.open(member) as opened:
                data = opened.read(MAX_BYTES + 1)
            if len(data) != member.file_size:
                raise UserError(f"{name} is not as long as the zip file says.")
            files[name[len(base) + 1 :] if base else name] = data
    return files


def _zip_base(members: list[zipfile.ZipInfo], inner: str) -> str:
    """The folder inside of the zip: `inner`, or the only one with a SKILL.md at its top."""
    if inner:
        return inner.strip("/")
    homes = [PurePosixPath(_zip_name(one)).parent for one in members if _is_skill(one)]
    shallow = sorted(homes, key=lambda home: len(home.parts))
    top = shallow[0].as_posix() if shallow else ""
    return "" if top == "." else top


def _is_skill(member: zipfile.ZipInfo) -> bool:
    return PurePosixPath(member.filename).name == SKILL_FILE


def _zip_name(member: zipfile.ZipInfo) -> str:
    name = member.filename
    parts = PurePosixPath(name).parts
    odd = name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in name
    if odd or not parts:
        raise UserError(f"The zip file names {name!r}, which leads out of its folder.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise UserError(f"{name} is a link; a skill may hold only files.")
    if member.flag_bits & 1:
        raise UserError(f"{name} is encrypted.")
    return PurePosixPath(name).as_posix()


def _check_size(count: int, size: int) -> None:
    if count > MAX_FILES:
        raise UserError(f"A skill may have at most {MAX_FILES} files.")
    if size > MAX_BYTES:
        raise UserError(f"A skill may have at most {MAX_BYTES // 1_000_000} MB.")
