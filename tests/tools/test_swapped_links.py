"""A link that is exchanged while a path is walked never leads out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from agents.core.errors import ToolError
from tools.workspace.files import open_file, write_file


@contextmanager
def meanwhile(step: Callable[[], None]) -> Iterator[None]:
    """Another thread repeats `step` while the block runs."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            step()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.fixture
def outside(workspace: Path) -> Path:
    """A folder beside the workspace."""
    folder = workspace.with_name("outside")
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"secret")
    return folder


def test_it_works(workspace: Path, outside: Path) -> None:
    folder, kept, link = workspace / "d", workspace / "kept", workspace / "link"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"mine")

    def swap() -> None:
        folder.rename(kept)
        link.symlink_to(outside)
        link.rename(folder)
        folder.unlink()
        kept.rename(folder)

    seen: set[bytes] = set()
    with meanwhile(swap):
        for _ in range(2_000):
            with suppress(ToolError), open_file(workspace, "d/a.txt") as file:
                seen.add(file.handle.read())
    assert seen == {b"mine"}


def test_nothing_is_written_outside(workspace: Path, outside: Path) -> None:
    door, link = workspace / "door", workspace / "link"
    (workspace / "inside").mkdir()
    door.symlink_to("inside")

    def swap() -> None:
        for target in (outside, Path("inside")):
            link.symlink_to(target)
            link.rename(door)

    with meanwhile(swap):
        for number in range(500):
            with suppress(ToolError):
                write_file(workspace, f"door/{number}.txt", b"mine")
    assert [path.name for path in outside.iterdir()] == ["a.txt"]
    assert any((workspace / "inside").iterdir())


def test_a_file_swapped_for_a_link_is_not_followed(workspace: Path, outside: Path) -> None:
    file, kept, link = workspace / "a.txt", workspace / "kept", workspace / "link"
    kept.write_bytes(b"mine")
    file.hardlink_to(kept)

    def swap() -> None:
        link.symlink_to(outside / "a.txt")
        link.rename(file)
        link.hardlink_to(kept)
        link.rename(file)

    seen: set[bytes] = set()
    with meanwhile(swap):
        for _ in range(2_000):
            with suppress(ToolError), open_file(workspace, "a.txt") as opened:
                seen.add(opened.handle.read())
    assert seen == {b"mine"}
