"""A link that is exchanged while a path is walked never leads out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agents.core.errors import ToolError
from tools.workspace.files import open_file, write_file


@contextmanager
def swapping(place: Path, outside: Path) -> Iterator[None]:
    """Meanwhile `place` is now a folder, now a link to `outside`."""
    kept, link = place.with_name("kept"), place.with_name("link")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            place.rename(kept)
            link.symlink_to(outside)
            link.rename(place)
            place.unlink()
            kept.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_it_works(workspace: Path) -> None:
    outside = workspace.with_name("outside")
    for folder, text in ((workspace / "d", b"mine"), (outside, b"secret")):
        folder.mkdir()
        (folder / "a.txt").write_bytes(text)
    seen: set[bytes] = set()
    with swapping(workspace / "d", outside):
        for number in range(2_000):
            try:
                with open_file(workspace, "d/a.txt") as file:
                    seen.add(file.handle.read())
                if number % 20 == 0:
                    write_file(workspace, "d/b.txt", b"mine")
            except ToolError:
                continue
    assert seen == {b"mine"}
    assert not (outside / "b.txt").exists()
