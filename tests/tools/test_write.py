"""The tool write: the whole content, in one step, parents included."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.write import WRITE


def test_it_works(call: Call, workspace: Path) -> None:
    result = call(WRITE, path="a.txt", content="größer\n")
    assert (workspace / "a.txt").read_bytes() == "größer\n".encode()
    assert blocks_text(result.content) == "Created a.txt (9 bytes)."
    assert result.details == {"path": "a.txt", "bytes": 9, "created": True}


def test_missing_folders_are_made(call: Call, workspace: Path) -> None:
    call(WRITE, path="one/two/three.txt", content="x")
    assert (workspace / "one" / "two" / "three.txt").read_text() == "x"


def test_a_file_that_exists_is_replaced_and_keeps_its_mode(call: Call, workspace: Path) -> None:
    path = workspace / "run.sh"
    path.write_text("a much longer old content")
    path.chmod(0o750)
    result = call(WRITE, path="run.sh", content="new")
    assert blocks_text(result.content) == "Replaced run.sh (3 bytes)."
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o750


def test_a_reader_keeps_what_it_opened(call: Call, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_text("old")
    with path.open() as reader:
        call(WRITE, path="a.txt", content="new")
        assert reader.read() == "old"
    assert path.read_text() == "new"


def test_nothing_else_is_left_in_the_folder(call: Call, workspace: Path) -> None:
    call(WRITE, path="a.txt", content="x")
    (workspace / "folder").mkdir()
    with pytest.raises(ToolError):
        call(WRITE, path="folder", content="x")
    with pytest.raises(ToolError):
        call(WRITE, path="n" * 255 + "x", content="x")
    assert {path.name for path in workspace.iterdir()} == {"a.txt", "folder"}


def test_a_write_that_fails_leaves_everything_as_it_was(call: Call, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(ToolError, match="too large"):
            call(WRITE, path="a.txt", content="x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "old"
    assert [path.name for path in workspace.iterdir()] == ["a.txt"]


def test_a_read_only_file_is_left_alone(call: Call, workspace: Path) -> None:
    path = workspace / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(ToolError, match="read-only"):
        call(WRITE, path="a.txt", content="new")
    assert path.read_text() == "old"


def test_a_slash_at_the_end_names_a_folder(call: Call, workspace: Path) -> None:
    with pytest.raises(ToolError, match="slash"):
        call(WRITE, path="new/", content="x")
    assert list(workspace.iterdir()) == []


def test_a_file_on_the_way_is_named(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").touch()
    with pytest.raises(ToolError, match="is a file, not a folder"):
        call(WRITE, path="a.txt/b.txt", content="x")


@pytest.mark.parametrize(
    ("content", "written"),
    [("\ud83d\ude00", "😀"), ("a\ud83db", "a\ufffdb"), ("\ude00", "\ufffd"), ("😀", "😀")],
)
def test_lone_surrogates_are_never_written(
    call: Call, workspace: Path, content: str, written: str
) -> None:
    call(WRITE, path="a.txt", content=content)
    assert (workspace / "a.txt").read_bytes() == written.encode()


def test_aliases_are_understood(call: Call, workspace: Path) -> None:
    call(WRITE, file_path="a.txt", contents="x")
    assert (workspace / "a.txt").read_text() == "x"


def test_missing_content_is_named(call: Call) -> None:
    with pytest.raises(ToolError, match=r"^content: "):
        call(WRITE, path="a.txt")
    with pytest.raises(ToolError, match=r"^content: expected text, got dict"):
        call(WRITE, path="a.json", content={"a": 1})
