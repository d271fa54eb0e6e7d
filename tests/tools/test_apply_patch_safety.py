"""A patch changes all of its files or none, keeps how they are written, and stays inside."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from tests.tools.conftest import Call
from tools.builtin.apply_patch import APPLY_PATCH
from tools.builtin.exec.settings import ExecSettings
from tools.patching.apply import patch_apply
from tools.patching.parse import parse_patch


def patch(call: Call, *lines: str) -> ToolResult:
    return call(APPLY_PATCH, input="\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file()
    }


@contextmanager
def before_rename(number: int, step: Callable[[], None]) -> Iterator[list[int]]:
    """Runs `step` just before the operating system's rename with that number."""
    calls: list[int] = []

    def watch(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and function in (os.rename, os.unlink):
            calls.append(number)
            if len(calls) == number:
                step()

    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(None)


MIXED = (
    *("*** Update File: a", "-x", "+y", "*** Update File: run.sh", "-x", "+y"),
    *("*** Add File: deep/er/n", "+n", "*** Delete File: c"),
    *("*** Update File: d", "*** Move to: deep/d", "-x", "+y"),
)


def scene(workspace: Path) -> None:
    for name in ("a", "c", "d", "run.sh"):
        (workspace / name).write_text("x\n")
    (workspace / "run.sh").chmod(0o750)


def test_it_works(call: Call, workspace: Path) -> None:
    scene(workspace)
    patch(call, *MIXED)
    assert {name: data for name, (data, _) in tree(workspace).items()} == {
        "a": b"y\n", "run.sh": b"y\n", "deep/er/n": b"n\n", "deep/d": b"y\n"
    }  # fmt: skip
    assert (workspace / "run.sh").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_a_failure_half_way_restores_everything(workspace: Path, number: int) -> None:
    scene(workspace)
    before = tree(workspace)

    def spoil() -> None:
        for path in (*workspace.rglob("*.tmp"), workspace / "c"):
            path.unlink(missing_ok=True)

    text = "\n".join(["*** Begin Patch", *MIXED, "*** End Patch"])
    with before_rename(number, spoil), pytest.raises(ToolError):
        # In this thread, which is the one that is watched.
        patch_apply(workspace, parse_patch(text))
    after = tree(workspace)
    # The one that somebody else deleted stays so, unless the patch had it already.
    assert {**before, **after} == before
    assert set(before) - set(after) <= {"c"}
    assert not (workspace / "deep").exists()


def test_a_late_section_that_fails_leaves_no_trace(call: Call, workspace: Path) -> None:
    scene(workspace)
    before = tree(workspace)
    with pytest.raises(ToolError):
        patch(call, *MIXED, "*** Update File: a", "-no such line", "+y")
    assert tree(workspace) == before
    assert not (workspace / "deep").exists()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_encoding_and_line_ends_are_kept(
    call: Call, workspace: Path, encoding: str, ending: str
) -> None:
    lines = ["caf\u00e9 number one", "second", "third"]
    (workspace / "a").write_bytes(ending.join(lines).encode(encoding))
    patch(call, "*** Update File: a", " caf\u00e9 number one", "-second", "+2\u00e9", "+2b")
    lines[1:2] = ["2\u00e9", "2b"]
    assert (workspace / "a").read_bytes() == ending.join(lines).encode(encoding)


def test_damaged_text_and_mixed_line_ends_survive(call: Call, workspace: Path) -> None:
    (workspace / "a").write_bytes("größe \u00e4\u00f6\r\n".encode() + b"cut \xe2\x82\nx\r\nlast")
    patch(call, "*** Update File: a", "-x", "+y")
    expected = "größe \u00e4\u00f6\r\n".encode() + b"cut \xe2\x82\ny\r\nlast"
    assert (workspace / "a").read_bytes() == expected


def test_a_character_the_encoding_does_not_have_is_refused(call: Call, workspace: Path) -> None:
    (workspace / "a").write_bytes("caf\u00e9\nx\n".encode("cp1252"))
    with pytest.raises(ToolError, match="cp1252 text, which has no"):
        patch(call, "*** Update File: a", "-x", "+\u4e2d")
    assert (workspace / "a").read_bytes() == "caf\u00e9\nx\n".encode("cp1252")


def test_a_patch_with_carriage_returns_applies(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("x\n")
    text = "*** Begin Patch\r\n*** Update File: a\r\n-x\r\n+y\r\n*** End Patch\r\n"
    call(APPLY_PATCH, input=text)
    assert (workspace / "a").read_bytes() == b"y\n"


@pytest.mark.parametrize(
    "name",
    ["\u6587\u4ef6.txt", "\u05e9\u05dc\u05d5\u05dd.txt", "with blank.txt", "-dash", "$(id)", "a'b"],
)
def test_unusual_names_work(call: Call, workspace: Path, name: str) -> None:
    patch(call, f"*** Add File: {name}", "+x")
    patch(call, f"*** Update File: {name}", "-x", "+y")
    assert [path.name for path in workspace.iterdir()] == [name]
    assert (workspace / name).read_text() == "y\n"


# {0} is the folder that holds the workspace: nothing of this machine is at stake.
OUTSIDE = [
    *("../secret.txt", "sub/../../secret.txt", "{0}/secret.txt", "{0}/ws-evil/file.txt", "{0}"),
    *("..", "../ws-evil/file.txt", "link/file.txt", "file-link", "chain", "x\0y", "~/secret.txt"),
    *("{0}/ws/../secret.txt", "/proc/self/none", "./../secret.txt", "~"),
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("form", ["add", "delete", "update", "from", "to"])
def test_paths_outside_are_refused(
    call: Call, workspace: Path, path: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace.parent))
    path = path.format(workspace.parent)
    evil = workspace.with_name("ws-evil")
    evil.mkdir()
    for secret in (evil / "file.txt", workspace.with_name("secret.txt"), workspace / "mine"):
        secret.write_text("x\n")
    (workspace / "link").symlink_to(evil)
    (workspace / "file-link").symlink_to(evil / "file.txt")
    (workspace / "chain").symlink_to("file-link")
    before = tree(workspace.parent)
    lines = {
        "add": [f"*** Add File: {path}", "+y"],
        "delete": [f"*** Delete File: {path}"],
        "update": [f"*** Update File: {path}", "-x", "+y"],
        "from": [f"*** Update File: {path}", "*** Move to: taken"],
        "to": ["*** Update File: mine", f"*** Move to: {path}"],
    }[form]
    with pytest.raises(ToolError):
        patch(call, *lines)
    assert tree(workspace.parent) == before


def test_a_link_inside_is_followed(call: Call, workspace: Path) -> None:
    (workspace / "real").write_text("x\n")
    (workspace / "link").symlink_to("real")
    patch(call, "*** Update File: link", "-x", "+y")
    assert (workspace / "link").is_symlink()
    assert (workspace / "real").read_text() == "y\n"


@pytest.mark.parametrize("owner", [True, False])
def test_the_confinement_can_be_lifted_for_owners(
    context: ToolContext, workspace: Path, owner: bool
) -> None:
    async def ignore(partial: ToolResult) -> None:
        """No listener."""

    free = replace(
        context,
        principal=Principal("p", is_owner=owner),
        settings={"exec": ExecSettings(patch_workspace_only=False)},
    )
    text = "*** Begin Patch\n*** Add File: ../n\n+x\n*** Add File: m\n+x\n*** End Patch"
    work = APPLY_PATCH.execute("c", {"input": text}, free, AbortSignal(), ignore)
    if not owner:
        with pytest.raises(ToolError, match="outside the workspace"):
            asyncio.run(work)
        return
    asyncio.run(work)
    assert workspace.with_name("n").read_text() == "x\n"
    assert (workspace / "m").read_text() == "x\n"
