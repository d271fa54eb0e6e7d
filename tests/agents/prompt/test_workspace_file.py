"""The workspace's own file in the prompt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.prompt.workspace_files import MAX_CHARS, workspace_file


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
    path.write_text("x" * (MAX_CHARS + 5), encoding="utf-8")
    text = workspace_file(path)
    assert text.startswith("x" * MAX_CHARS + "\n[")
    assert text.endswith("[AGENTS.md is cut here: 20000 of 20005 characters are shown.]")
    path.write_text("y" * MAX_CHARS, encoding="utf-8")
    assert workspace_file(path) == "y" * MAX_CHARS


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
