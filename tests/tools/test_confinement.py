"""Paths never lead out of the workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext
from tests.tools.conftest import Call
from tools.builtin.edit import EDIT
from tools.builtin.read import READ
from tools.builtin.write import WRITE
from tools.workspace.files import open_file


@pytest.fixture(autouse=True)
def secret(workspace: Path) -> Path:
    """Files outside that must stay unread and unchanged."""
    evil = workspace.with_name("ws-evil")
    evil.mkdir()
    (evil / "file.txt").write_text("secret")
    path = workspace.with_name("secret.txt")
    path.write_text("secret")
    return path


def refused(call: Call, path: str) -> str:
    """All three tools refuse `path`; returns what read says."""
    with pytest.raises(ToolError) as reading:
        call(READ, path=path)
    with pytest.raises(ToolError):
        call(WRITE, path=path, content="taken over")
    with pytest.raises(ToolError):
        call(EDIT, path=path, edits=[{"oldText": "secret", "newText": "taken over"}])
    return reading.value.message


def test_it_works(call: Call, workspace: Path) -> None:
    call(WRITE, path=str(workspace / "sub" / ".." / "sub" / "a.txt"), content="hello")
    assert blocks_text(call(READ, path="sub/./../sub//a.txt").content) == "hello"


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.txt", "sub/../../secret.txt", "..", "{parent}/secret.txt"),
        *(
            "../ws-evil/file.txt",
            "./../secret.txt",
            "/..{parent}/secret.txt",
            "~root/../../secret.txt",
        ),
    ],
)
def test_paths_outside_are_refused(call: Call, workspace: Path, secret: Path, path: str) -> None:
    (workspace / "sub").mkdir()
    (workspace / "~root").mkdir()
    refused(call, path.format(parent=workspace.parent))
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/", "/../etc/passwd"])
def test_paths_of_the_system_are_refused(call: Call, path: str) -> None:
    """Only read: were the rule broken, a test must not harm the machine."""
    with pytest.raises(ToolError):
        call(READ, path=path)


def test_a_sibling_with_the_same_beginning_is_outside(
    call: Call, workspace: Path, secret: Path
) -> None:
    assert "outside the workspace" in refused(call, f"{workspace}-evil/file.txt")


def test_home_is_outside_unless_the_workspace_is_there(
    call: Call, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace.parent))
    assert "outside the workspace" in refused(call, "~/secret.txt")
    assert "outside the workspace" in refused(call, "~")
    (workspace / "a.txt").write_text("mine")
    assert blocks_text(call(READ, path="~/ws/a.txt").content) == "mine"


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "\ud83d.txt", "x" * 5000, "x" * 300])
def test_unusable_paths_are_explained(call: Call, path: str) -> None:
    assert refused(call, path).startswith("path: ")


@pytest.mark.parametrize("target", ["../secret.txt", "{outside}", "inner/../../secret.txt"])
def test_links_out_are_refused(call: Call, workspace: Path, secret: Path, target: str) -> None:
    (workspace / "inner").mkdir()
    (workspace / "link").symlink_to(target.format(outside=secret))
    assert "outside the workspace" in refused(call, "link")
    assert secret.read_text() == "secret"


def test_a_linked_folder_out_is_refused(call: Call, workspace: Path, secret: Path) -> None:
    (workspace / "up").symlink_to("..")
    refused(call, "up/secret.txt")
    refused(call, "up/new.txt")
    assert not (workspace.parent / "new.txt").exists()


def test_a_dangling_link_out_creates_nothing(call: Call, workspace: Path) -> None:
    (workspace / "link").symlink_to(workspace.parent / "new.txt")
    refused(call, "link")
    assert not (workspace.parent / "new.txt").exists()


def test_links_within_are_followed(call: Call, workspace: Path) -> None:
    (workspace / "real").mkdir()
    (workspace / "relative").symlink_to("real")
    (workspace / "real" / "absolute").symlink_to(workspace / "real" / "a.txt")
    call(WRITE, path="relative/absolute", content="hello")
    assert (workspace / "real" / "a.txt").read_text() == "hello"
    assert (workspace / "real" / "absolute").is_symlink()


def test_link_loops_are_refused(call: Call, workspace: Path) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")
    assert "loop" in refused(call, "a")


def test_the_workspace_may_be_a_link_itself(call: Call, workspace: Path, tmp_path: Path) -> None:
    workspace.rename(tmp_path / "real")
    workspace.symlink_to(tmp_path / "real")
    call(WRITE, path=str(workspace / "a.txt"), content="hello")
    shown = blocks_text(call(READ, path=str(tmp_path / "real" / "a.txt")).content)
    assert shown == "hello"


def test_folders_pipes_and_devices_are_no_files(call: Call, workspace: Path) -> None:
    (workspace / "folder").mkdir()
    (workspace / "folder" / "inside.txt").touch()
    os.mkfifo(workspace / "pipe")
    assert "inside.txt" in refused(call, "folder")
    assert "folder" in refused(call, ".")
    assert "pipe" in refused(call, "pipe")


def test_with_the_machine_as_workspace_the_kernel_stays_closed(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="outside"), open_file(Path("/"), "/proc/self/environ"):
        pass


def test_a_missing_workspace_is_made(call: Call, workspace: Path) -> None:
    workspace.rmdir()
    call(WRITE, path="a.txt", content="hello")
    assert (workspace / "a.txt").read_text() == "hello"


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_no_descriptor_is_left_open(call: Call, workspace: Path) -> None:
    (workspace / "link").symlink_to("/etc/passwd")
    before = open_descriptors()
    for path in ("a/b/c.txt", "link", "..", "a/../../x", "."):
        with pytest.raises(ToolError):
            call(READ, path=path)
    call(WRITE, path="a/b/c.txt", content="x")
    call(READ, path="a/b/c.txt")
    assert open_descriptors() == before
