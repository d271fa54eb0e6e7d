"""A file or folder that is exchanged for a link while it is used never leads out.

The exchange is made at every single moment at which it could matter: just before each call of
the operating system that the operation makes, one after the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from agents.core.errors import ToolError
from tools.workspace.files import open_file, rewrite_file, write_file

_CALLS = (os.open, os.readlink, os.stat, os.mkdir, os.rename, os.fstat)


@contextmanager
def before_call(number: int, step: Callable[[], None]) -> Iterator[list[int]]:
    """Runs `step` just before the operating system's call with that number; counts the calls."""
    calls: list[int] = []

    def watch(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and function in _CALLS:
            if len(calls) == number:
                step()
            calls.append(number)

    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(None)


class Scene:
    """A workspace with d/a.txt, and a folder outside with files of the same names."""

    def __init__(self, base: Path) -> None:
        self.root, self.outside = base / "ws", base / "outside"
        for folder, text in ((self.root / "d", "mine"), (self.outside, "secret")):
            folder.mkdir(parents=True)
            (folder / "a.txt").write_text(text)

    def swap_folder(self) -> None:
        (self.root / "d").rename(self.root / "kept")
        (self.root / "d").symlink_to(self.outside)

    def swap_file(self) -> None:
        (self.root / "d" / "a.txt").unlink()
        (self.root / "d" / "a.txt").symlink_to(self.outside / "a.txt")


def read(scene: Scene) -> None:
    with open_file(scene.root, "d/a.txt") as file:
        assert file.handle.read() == b"mine"


def write(scene: Scene) -> None:
    write_file(scene.root, "d/a.txt", b"new")


def write_new(scene: Scene) -> None:
    write_file(scene.root, "d/b.txt", b"new")


def rewrite(scene: Scene) -> None:
    def change(data: bytes) -> bytes:
        assert data == b"mine"
        return b"new"

    rewrite_file(scene.root, "d/a.txt", change, most_bytes=100)


@pytest.mark.parametrize("swap", [Scene.swap_folder, Scene.swap_file])
@pytest.mark.parametrize("operation", [read, write, write_new, rewrite])
def test_it_works(
    tmp_path: Path, swap: Callable[[Scene], None], operation: Callable[[Scene], None]
) -> None:
    number, refused = 0, 0
    while True:
        scene = Scene(tmp_path / str(number))
        try:
            with before_call(number, lambda scene=scene: swap(scene)) as calls:  # type: ignore[misc]
                operation(scene)
        except ToolError:
            refused += 1
        assert {path.name for path in scene.outside.iterdir()} == {"a.txt"}
        assert (scene.outside / "a.txt").read_text() == "secret"
        if len(calls) <= number:
            break
        number += 1
    assert number >= 4
    # Otherwise the exchange was not made where it matters.
    assert refused or (operation is write_new and swap is Scene.swap_file)
