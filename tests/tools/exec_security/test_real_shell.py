"""What a real shell runs is what was read: the parser is compared with sh and with bash."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.tools.exec_security.test_attacks import ATTACKS
from tools.exec_security.syntax import command_parse
from tools.exec_security.tables import BUILTINS, kind_of
from tools.exec_security.wrappers import WRAPPERS

SPIES = "ls git id evil find xargs curl rm tar make node cat tee watch ssh nl stat du diff"
# These start what stands behind them.
STARTS = {*WRAPPERS, *BUILTINS}
SHELLS = [shell for shell in ("sh", "bash", "zsh", "ksh") if which(shell)]
# None of these is of the shell itself, and every word of it means what is written.
SAMPLE = (
    "ls", "ls -la", "ls; id", "ls && id", "ls || id", "ls | id", "ls\nid", "ls # ; id\ngit x",
    "l\\s", "l's'", 'l"s"', "'ls' -a", "ls 'a;id'", 'ls "a && id"', "ls a\\;id", "ls \\\n -l",
    "l\\\ns", "git\\\n log", "ls 2>&1", "ls >/dev/null", "ls 2>/dev/null|id", "ls>/dev/null;id",
    "ls a#b;id", "ls '#';id", "ls {} ; id", "ls a$; id", "ls $HOME; id", "ls ${HOME}", "ls ~; git",
    "ls *; id", "ls [a-z]*", "LANG=C ls", "LC_ALL=C TZ=UTC git log", "ls \"$HOME\" 'x'",
    "ls ''; id",
    "ls -- -x", "git log --format='%h'|ls", "ls &&\n\nid", "ls |\nid", "ls ;\n\n id", "  ls  ",
    "\tls\tid", "ls\t;id", "ls \\'; id", "ls '\\'; id", 'ls "\\""; id', 'ls "a\\\\"; id',
    "ls 1 2 3",
    "ls = ; id", "ls a=b", "ls --x=y", "ls !; id", "ls ]; id", "ls %1; id", "ls a:b,c", "ls @ ^ +",
    "ls ü日本;id", "ls -l>/dev/null 2>&1&&id", "ls 12; id", "ls x2>&1; id", "ls a\\ b c",
    "ls \\\\; id",
)  # fmt: skip


@pytest.fixture(scope="module")
def spies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs that write down their name and do nothing else."""
    folder = tmp_path_factory.mktemp("spies")
    for name in SPIES.split():
        program = folder / name
        # A builtin of every shell, so that nothing else runs.
        program.write_text(f'#!/bin/sh\necho {name} >> "{folder}/log.txt"\n')
        program.chmod(0o755)
    return folder


def really_run(shell: str, command: str, spies: Path, folder: Path) -> set[str]:
    """The spies that ran."""
    log = spies / "log.txt"
    log.unlink(missing_ok=True)
    subprocess.run(
        [str(which(shell)), "-c", command], cwd=folder,
        env={"PATH": str(spies), "HOME": str(folder)},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
        start_new_session=True,
    )  # fmt: skip
    return set(log.read_text().split()) if log.exists() else set()


def named(command: str) -> set[str] | None:
    """The programs that the parser names; None for a line that it does not read."""
    parsed = command_parse(command)
    if parsed.problem:
        return None
    return {one.words[0].text for one in parsed.commands}


def test_it_works(spies: Path, tmp_path: Path) -> None:
    assert really_run("sh", "ls; id", spies, tmp_path) == {"ls", "id"} == named("ls; id")


@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_runs_that_was_not_read(shell: str, spies: Path, tmp_path: Path) -> None:
    for command in SAMPLE:
        names = named(command)
        assert names is not None, command
        assert really_run(shell, command, spies, tmp_path) <= names, command


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_of_a_sequence_was_read(shell: str, spies: Path, tmp_path: Path) -> None:
    for command in SAMPLE:
        if "|" not in command:
            assert really_run(shell, command, spies, tmp_path) == named(command), command


def test_attacks_that_are_read_run_nothing_else(spies: Path, tmp_path: Path) -> None:
    """Commands that start others are looked into later; here it is about the line itself."""
    compared = 0
    for command in ATTACKS:
        names = named(command) if "\0" not in command else None
        if names is None or any(kind_of(name) or name in STARTS for name in names):
            continue
        compared += 1
        assert really_run("sh", command, spies, tmp_path) <= names, command
    assert compared > 30
