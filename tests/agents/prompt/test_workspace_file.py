"""The workspace's own file in the prompt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.prompt.workspace_files import project_files, shortened, workspace_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "AGENTS.md"


def test_it_works(path: Path) -> None:
    path.write_text("\n Be kind. \n", encoding="utf-8")
    assert workspace_file(path) == "Be kind."


def test_a_change_is_read(path: Path) -> None:
    path.write_text("one", encoding="utf-8")
    assert workspace_file(path) == "one"
    path.write_text("two", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert workspace_file(path) == "two"
    path.unlink()
    assert workspace_file(path) == ""


def test_too_much_is_cut_visibly(path: Path) -> None:
    path.write_text("a" * 900 + "z" * 900, encoding="utf-8")
    (file,) = project_files(path.parent, ["AGENTS.md"], max_chars=1_000)
    assert file.chars == 1_800
    assert len(file.text) <= 1_000
    assert file.text.startswith("aaa")
    assert file.text.endswith("zzz")
    assert "[… AGENTS.md is cut here: " in file.text
    assert file.is_cut
    (whole,) = project_files(path.parent, ["AGENTS.md"])
    assert not whole.is_cut


def test_the_total_has_a_limit(tmp_path: Path) -> None:
    for name in ("one.md", "two.md", "three.md"):
        (tmp_path / name).write_text("x" * 500, encoding="utf-8")
    files = project_files(tmp_path, ["one.md", "missing.md", "two.md", "three.md"], max_total=700)
    assert [file.name for file in files] == ["one.md", "two.md", "three.md"]
    assert [len(file.text) for file in files[:2]] == [500, 194]
    assert (
        files[2].text == "[three.md is left out: 500 characters would be too many. Read the file.]"
    )


@given(
    text=st.text(min_size=1, max_size=2_000),
    room=st.integers(64, 1_500),
)
def test_what_is_cut_keeps_to_its_room(text: str, room: int) -> None:
    shown = shortened(text, "AGENTS.md", room)
    assert len(shown) <= room
    assert (shown == text) == (len(text) <= room)


def test_links_are_not_followed(path: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden", encoding="utf-8")
    path.symlink_to(secret)
    assert workspace_file(path) == ""


def test_what_is_no_file(path: Path) -> None:
    assert workspace_file(path) == ""
    path.mkdir()
    assert workspace_file(path) == ""
    path.rmdir()
    os.mkfifo(path)
    assert workspace_file(path) == ""


def test_bytes_that_are_no_text(path: Path) -> None:
    path.write_bytes(b"caf\xe9 \xff")
    assert workspace_file(path) == "caf\ufffd \ufffd"
