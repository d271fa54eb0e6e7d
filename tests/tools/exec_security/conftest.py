"""A workspace, programs that only exist here, and a way to have a command judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.exec_security.analysis import Analysis, ListRules, command_analyse
from tools.exec_security.patterns import Allowance
from tools.exec_security.place import Place

# What the list allows; each is made as a program of its own, so that no machine lacks one.
ALLOWED = (
    "git find xargs rm curl wget tar rsync make sort python3 node perl awk sed tee cat grep ls "
    "npm zip rg env less docker ssh"
)
KNOWN = ALLOWED + " id evil sudo doas su sh bash dash zsh nice nohup timeout setsid stdbuf ionice"
KNOWN += " busybox parallel watch vim man ruby php lua osascript chmod echo time chrt eval head wc"
KNOWN += " cut tr tail uniq sleep date diff"

Judge = Callable[..., Analysis]


@pytest.fixture
def binaries(tmp_path: Path) -> Path:
    """A folder with all programs, which counts as the system's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in KNOWN.split():
        program = folder / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return folder


@pytest.fixture
def place(tmp_path: Path, binaries: Path) -> Place:
    """A workspace with a file, a folder, and links that lead out."""
    workspace = tmp_path / "ws"
    (workspace / "sub").mkdir(parents=True)
    (workspace / "a.txt").write_text("text\n")
    (workspace / "link").symlink_to("/etc/passwd")
    (workspace / "out").symlink_to(tmp_path)
    (workspace / "other").mkdir()
    (workspace / ".git").mkdir()
    (workspace / "other" / "link").symlink_to("/etc/passwd")
    for name in ("objects", "refs"):
        (workspace / "bare" / name).mkdir(parents=True)
    (workspace / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    (workspace / "bare" / "config").write_text("[core]\n\tfsmonitor = id\n")
    own = workspace / "tool"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    trusted = ("/bin", "/usr/bin", str(binaries))
    return Place(workspace, frozenset({workspace}), str(binaries), tmp_path, trusted)


@pytest.fixture
def judge(place: Place, binaries: Path) -> Judge:
    """Judges a command; `allowed` are names that the list has, by their paths."""

    def run(command: str, allowed: str = ALLOWED, *, strict: bool = True) -> Analysis:
        entries = [Allowance(str(binaries / name), id=1) for name in allowed.split()]
        rules = ListRules(tuple(entries), strict_inline=strict)
        return command_analyse(command, place=place, rules=rules)

    return run
