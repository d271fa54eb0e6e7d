"""The programs of a workspace that a command names, told apart by what is in them."""

from __future__ import annotations

import os
import re
import stat
from hashlib import sha256
from pathlib import Path

# A command names no more; larger ones are no scripts.
MOST_SCRIPTS = 10
MOST_BYTES = 5_000_000
_BREAKS = re.compile(r"[\s;|&<>()'\"`=]+")
_ENDINGS = frozenset(
    {".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua"}
    | {".r", ".jl", ".tcl", ".awk", ".sql", ".mk"}
)
_NAMES = frozenset({"makefile", "gnumakefile", "justfile", "rakefile"})


def scripts_of(text: str, *, folder: Path, workspace: Path) -> dict[str, str]:
    """The scripts and executables of the workspace among the words of a command, by their real
    paths, each with the SHA-256 of its content. Reads files; never raises.

    An agent may write there: a yes to `sh build.sh` holds for the build.sh that was there then.
    """
    root, found = os.path.realpath(workspace), dict[str, str]()
    for word in dict.fromkeys(_BREAKS.split(text)):
        if len(found) >= MOST_SCRIPTS:
            break
        path = os.path.realpath(folder / word) if word and "\0" not in word else ""
        if path.startswith(f"{root}/") and (digest := _digest(path)):
            found[path] = digest
    return found


def _digest(path: str) -> str:
    """The hash of a script or executable, "" for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode) or not _runs(path, facts.st_mode):
                return ""
            return sha256(file.read(MOST_BYTES)).hexdigest()
    except (OSError, ValueError):
        return ""


def _runs(path: str, mode: int) -> bool:
    name = path.rsplit("/", 1)[-1].lower()
    return bool(mode & 0o111) or Path(name).suffix in _ENDINGS or name in _NAMES
