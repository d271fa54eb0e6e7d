"""Whatever is written around a command that is allowed: an unknown one is never let through."""

from __future__ import annotations

import shlex
import tempfile
from functools import lru_cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.core.strategies import steady
from tools.exec_security.analysis import ListRules, command_analyse
from tools.exec_security.patterns import Allowance, glob_regex
from tools.exec_security.place import Place
from tools.exec_security.syntax import command_parse

# The same examples each time, and no limit for slow machines.
STEADY = settings(steady, max_examples=60)
# Nothing that is refused as such: the question here is what quoting means.
TEXT = st.text(
    st.characters(
        codec="utf-8",
        exclude_categories=("C", "Z"),
        include_characters=" \t\n",
        max_codepoint=0x24F,
    ).filter(lambda one: one.isascii() or one.isalpha()),
    max_size=12,
).filter(lambda text: command_parse(shlex.quote(text)).problem.find("contains") < 0)
OPERATORS = st.sampled_from(
    ["; ", ";", " && ", "&&", " || ", " | ", "|", "\n", " & ", "&", " |& ", "\n\n", ";\n", " &&\n"]
)
BLANKS = st.text(st.sampled_from(" \t\n"), max_size=4)
ALLOWED = st.sampled_from(
    [
        "git status",
        "git log --oneline",
        "ls",
        "env git log",
        "sh -c 'git log'",
        "echo 'a;b'",
        "true",
    ]
)
UNKNOWN = st.sampled_from(
    ["evil", "evil x", "e'vil'", "ev\\il", '"evil"', "env evil", "sh -c evil", "nice evil",
     "./evil", "exec evil", "$EVIL", "`evil`", "$(evil)", "find . -exec evil \\;", "xargs evil",
     "e\\\nvil"]
)  # fmt: skip


@lru_cache(maxsize=1)
def place() -> Place:
    """A workspace, and git beside the system's own programs."""
    root = Path(tempfile.mkdtemp())
    binaries, workspace = root / "bin", root / "ws"
    workspace.mkdir()
    binaries.mkdir()
    for name in ("git", "ls", "env", "sh", "nice", "find", "xargs", "evil"):
        (binaries / name).write_text("#!/bin/sh\n")
        (binaries / name).chmod(0o755)
    return Place(workspace, frozenset({workspace}), str(binaries), root, (str(binaries),))


def runs_by_itself(command: str) -> bool:
    """Whether git's list lets it run."""
    allowed = tuple(
        Allowance(f"{place().path}/{name}") for name in ("git", "find", "xargs", "ls", "env")
    )
    return command_analyse(command, place=place(), rules=ListRules(allowed)).satisfied


def test_it_works() -> None:
    assert runs_by_itself("git status && ls")
    assert not runs_by_itself("git status && evil")


@STEADY
@given(st.lists(TEXT, min_size=1, max_size=5))
def test_quoting_is_undone(words: list[str]) -> None:
    command = "run " + " ".join(shlex.quote(word) for word in words)
    parsed = command_parse(command)
    assert parsed.problem == ""
    (simple,) = parsed.commands
    assert [word.text for word in simple.words] == ["run", *words]
    assert all(word.literal for word in simple.words)


@STEADY
@given(st.lists(TEXT, min_size=1, max_size=4))
def test_backslashes_are_undone(words: list[str]) -> None:
    words = [word.replace("\n", "") or "x" for word in words]
    command = "run " + " ".join("".join(f"\\{letter}" for letter in word) for word in words)
    parsed = command_parse(command)
    assert [[word.text for word in one.words] for one in parsed.commands] == [["run", *words]]


@STEADY
@given(ALLOWED, OPERATORS, BLANKS, UNKNOWN, BLANKS, st.booleans())
def test_no_unknown_command_joins(
    good: str, operator: str, before: str, bad: str, after: str, bad_first: bool
) -> None:
    first, second = (bad, good) if bad_first else (good, bad)
    assert not runs_by_itself(f"{before}{first}{operator}{before}{second}{after}")


@STEADY
@given(ALLOWED, st.text(st.sampled_from(" \t\n;|&<>()$`'\"\\#{}*?~=!evil"), max_size=12))
def test_what_is_appended_names_no_other_program(good: str, tail: str) -> None:
    """Whatever passes has only programs that are known to be allowed."""
    command = good + tail
    if not runs_by_itself(command):
        return
    names = {word.words[0].text for word in command_parse(command).commands}
    assert names <= {"git", "ls", "env", "sh", "echo", "true", ":", "exit", "cd"}, command


@STEADY
@given(st.text(max_size=60))
def test_nothing_is_raised(text: str) -> None:
    command_parse(text)
    runs_by_itself(text)


@STEADY
@given(st.lists(st.text(st.sampled_from("ab.-"), min_size=1, max_size=4), min_size=1, max_size=5))
def test_globs_stay_in_their_segment(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    assert glob_regex("/**").fullmatch(path)
    assert bool(glob_regex("/*").fullmatch(path)) == (len(parts) == 1)
    assert glob_regex(path).fullmatch(path)
    assert not glob_regex(path).fullmatch(path + "x")
