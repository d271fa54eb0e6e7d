# ruff: noqa: RUF001 - characters that can be mistaken for others are what this is about
"""Paths that want out of the workspace, through every tool that takes one.

Whatever happens: nothing of what lies outside is shown, changed, made or deleted.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.apply_patch import APPLY_PATCH
from tools.builtin.edit import EDIT
from tools.builtin.read import READ
from tools.builtin.write import WRITE

SECRET = "TOP-SECRET-7f3a"

# {outside} is the folder around the workspace, {workspace} the workspace itself.
PATHS = {
    "parent": "../secret.txt",
    "parent of a folder": "sub/../../secret.txt",
    "parent of what is not there": "nowhere/../../secret.txt",
    "deep": "../" * 40 + "{outside}/secret.txt",
    "dots and slashes": ".//..//./secret.txt",
    "absolute": "{outside}/secret.txt",
    "absolute with dots": "{workspace}/../secret.txt",
    "two slashes": "//{outside}/secret.txt",
    "sibling with the same beginning": "{workspace}-evil/secret.txt",
    "sibling by a relative path": "../ws-evil/secret.txt",
    "upper case": "../SECRET.TXT",
    "workspace in another case": "{outside}/WS/../secret.txt",
    "percent": "%2e%2e/secret.txt",
    "percent twice": "%252e%252e%252fsecret.txt",
    "percent slash": "..%2fsecret.txt",
    "overlong UTF-8": "..%c0%afsecret.txt",
    "backslashes": "..\\secret.txt",
    "mixed slashes": "..\\/secret.txt",
    "UNC": "\\\\host\\share\\secret.txt",
    "UNC with slashes": "//host/share/secret.txt",
    "drive": "C:\\Windows\\secret.txt",
    "file address": "file://{outside}/secret.txt",
    "at sign": "@{outside}/secret.txt",
    "full-width dots": "．．/secret.txt",
    "one character of two dots": "‥/secret.txt",
    "division slash": "..∕secret.txt",
    "zero width inside": ".\u200b./secret.txt",
    "right to left": "\u202etxt.terces/..",
    "dots and a blank": ".. /secret.txt",
    "three dots": ".../secret.txt",
    "NUL": "a.txt\0/../../secret.txt",
    "NUL at the end": "../secret.txt\0.png",
    "newline": "a\n/../../secret.txt",
    "home": "~/secret.txt",
    "home of somebody": "~root/../../secret.txt",
    "variable": "$HOME/../secret.txt",
    "substitution": "$(echo ..)/secret.txt",
    "pattern": "../s*",
    "option": "--../secret.txt",
    "link to a file": "link.txt",
    "link to a folder": "up/secret.txt",
    "link to a link": "second.txt",
    "link with an absolute target": "absolute/secret.txt",
    "link to nothing": "new.txt",
    "link to a sibling": "evil/secret.txt",
    "dots behind a link": "down/../../secret.txt",
    "loop": "loop",
    "loop below itself": "round/round/round/secret.txt/..",
    "many links": "l49",
    "folder of open files": "fd/0",
    "too long": "../" * 2000 + "secret.txt",
    "name too long": "x" * 256,
    "lone surrogate": "\ud800/../../secret.txt",
    "empty": "",
    "blanks": "   ",
    "workspace itself": ".",
    "root": "/",
    "pipe": "pipe",
    "socket": "socket",
}
SYSTEM = (
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/../secret.txt",
    "/proc/1/root/etc/shadow",
    "/proc/thread-self/fd/0",
    "/dev/zero",
    "/dev/tty",
    "/dev/fd/0",
    "/dev/stdin",
    "/sys/kernel/notes",
    "/etc/passwd",
    "/etc/../etc/passwd",
)


@pytest.fixture
def trap(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder around the workspace, with secrets, and links to them within."""
    outside = workspace.parent
    monkeypatch.setenv("HOME", str(outside))
    evil = outside / "ws-evil"
    evil.mkdir()
    for place in (outside, evil):
        (place / "secret.txt").write_text(SECRET)
    (workspace / "sub").mkdir()
    (workspace / "real" / "deep").mkdir(parents=True)
    links = {
        "link.txt": "../secret.txt",
        "second.txt": "link.txt",
        "up": "..",
        "absolute": str(outside),
        "new.txt": "../made.txt",
        "evil": "../ws-evil",
        "down": "real/deep",
        "loop": "loop",
        "round": ".",
        "fd": "/proc/self/fd",
        "l0": "../secret.txt",
        **{f"l{number}": f"l{number - 1}" for number in range(1, 50)},
    }
    for name, target in links.items():
        (workspace / name).symlink_to(target)
    os.mkfifo(workspace / "pipe")
    # The address of a socket must be short, a temporary folder's path need not be.
    monkeypatch.chdir(workspace)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")
    listener.close()
    return outside


def tree(folder: Path, leave_out: Path) -> dict[str, str]:
    """Every name below `folder` but not below `leave_out`, with what a file holds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if leave_out not in path.parents:
            found[str(path)] = path.read_text() if path.is_file() else ""
    return found


def add(path: str) -> dict[str, Any]:
    """A patch that makes a file."""
    return {"input": f"*** Begin Patch\n*** Add File: {path}\n+taken\n*** End Patch"}


def change(path: str) -> dict[str, Any]:
    """A patch that changes one."""
    hunk = f"@@\n-{SECRET}\n+taken"
    return {"input": f"*** Begin Patch\n*** Update File: {path}\n{hunk}\n*** End Patch"}


def move(path: str) -> dict[str, Any]:
    """A patch that moves a file of the workspace there."""
    head = f"*** Update File: mine.txt\n*** Move to: {path}"
    return {"input": f"*** Begin Patch\n{head}\n@@\n-mine\n+taken\n*** End Patch"}


ATTEMPTS: dict[str, Callable[[str], tuple[Any, dict[str, Any]]]] = {
    "read": lambda path: (READ, {"path": path}),
    "write": lambda path: (WRITE, {"path": path, "content": "taken"}),
    "edit": lambda path: (
        EDIT, {"path": path, "edits": [{"oldText": SECRET, "newText": "taken"}]},
    ),
    "add": lambda path: (APPLY_PATCH, add(path)),
    "change": lambda path: (APPLY_PATCH, change(path)),
    "delete": lambda path: (
        APPLY_PATCH, {"input": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"},
    ),
    "move": lambda path: (APPLY_PATCH, move(path)),
}  # fmt: skip


def outcome(call: Call, attempt: str, path: str) -> str:
    """What the model would read of it."""
    tool, arguments = ATTEMPTS[attempt](path)
    try:
        return blocks_text(call(tool, **arguments).content)
    except ToolError as error:
        return error.message


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_it_works(call: Call, workspace: Path, trap: Path, attempt: str) -> None:
    """All paths with one tool: each ends soon, tells nothing and leaves everything as it was."""
    before = tree(trap, workspace)
    for name, path in PATHS.items():
        (workspace / "mine.txt").write_text("mine")
        said = outcome(call, attempt, path.format(outside=trap, workspace=workspace))
        assert said, name
        assert SECRET not in said.replace(f"oldText {SECRET}", ""), name
        assert tree(trap, workspace) == before, name


@pytest.mark.parametrize("path", SYSTEM)
def test_places_of_the_system_are_not_read(call: Call, trap: Path, path: str) -> None:
    """Only read: were the rule broken, a test must not harm the machine."""
    with pytest.raises(ToolError, match="outside the workspace"):
        call(READ, path=path)


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.txt", "文件.txt", "ملف.txt", "\u202etxt.exe", "naïve café.txt", "a b\tc.txt",
        "x" * 251 + ".txt", "文" * 83 + ".txt", ".hidden", "trailing.", "trailing ", " leading",
        "-rf", "--help", "a'b\"c.txt", "$HOME", "`id`", "con", "nul.txt", "a:b.txt", "a|b?*.txt",
        "..txt", "...", "%2e%2e", "..\\x.txt", "é.txt", "e\u0301.txt", "🦞.md", "\u200b.txt",
    ],
)  # fmt: skip
def test_odd_names_are_names(call: Call, workspace: Path, name: str) -> None:
    """Written, read, edited and deleted under exactly this name, and nothing beside it."""
    call(WRITE, path=name, content="one\n")
    assert [path.name for path in workspace.iterdir()] == [name]
    call(EDIT, path=name, edits=[{"oldText": "one", "newText": "two"}])
    assert blocks_text(call(READ, path=name).content) == "two"
    assert [path.name for path in workspace.iterdir()] == [name]


def test_names_that_differ_by_case_or_accents_are_different_files(
    call: Call, workspace: Path
) -> None:
    for name in ("a.txt", "A.txt", "é.txt", "e\u0301.txt"):
        call(WRITE, path=name, content=name)
    for name in ("a.txt", "A.txt", "é.txt", "e\u0301.txt"):
        assert blocks_text(call(READ, path=name).content) == name


def test_a_hard_link_is_not_written_through(call: Call, workspace: Path, trap: Path) -> None:
    """Its content cannot be told from a file's own; a change makes a file of the workspace."""
    os.link(trap / "secret.txt", workspace / "hard.txt")
    call(WRITE, path="hard.txt", content="mine")
    assert (trap / "secret.txt").read_text() == SECRET
    (workspace / "hard.txt").unlink()
    os.link(trap / "secret.txt", workspace / "hard.txt")
    call(EDIT, path="hard.txt", edits=[{"oldText": SECRET, "newText": "mine"}])
    assert (trap / "secret.txt").read_text() == SECRET


def test_a_folder_with_very_many_names(call: Call, workspace: Path) -> None:
    """What is listed of it is short."""
    many = workspace / "many"
    many.mkdir()
    for number in range(6_000):
        (many / f"{number:05d}").touch()
    for path in ("many", "many/none"):
        with pytest.raises(ToolError) as caught:
            call(READ, path=path)
        assert len(caught.value.message) < 2_000


def test_a_very_deep_folder(call: Call, workspace: Path) -> None:
    path = "d/" * 200 + "a.txt"
    call(WRITE, path=path, content="deep")
    assert blocks_text(call(READ, path=path).content) == "deep"
    with pytest.raises(ToolError, match="outside the workspace"):
        call(READ, path="d/" * 200 + "../" * 201 + "secret.txt")
