"""Whatever the path and the links: what is opened is inside, or nothing is."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.core.errors import ToolError
from tools.workspace.files import open_file, write_file

_NAMES = st.sampled_from(["a", "b", "..", ".", "", "link", "ws", "ws-evil", "out", "~"])
_PATHS = st.builds(
    lambda lead, names: lead + "/".join(names),
    st.sampled_from(["", "", "/", "{root}/", "{root}", "~/"]),
    st.lists(_NAMES, max_size=6),
)
_LINKS = st.lists(st.tuples(st.sampled_from(["a/link", "link", "b"]), _PATHS), max_size=3)


def build(base: Path, links: list[tuple[str, str]]) -> Path:
    root = base / "ws"
    for folder in (root / "a" / "b", base / "ws-evil", base / "out"):
        folder.mkdir(parents=True)
        (folder / "a").write_text(str(folder))
    for name, target in links:
        place = root / name
        if target and "\0" not in target and not os.path.lexists(place):
            place.symlink_to(target.format(root=root))
    return root


def files_outside(base: Path) -> dict[str, str]:
    paths = [path for name in ("ws-evil", "out") for path in sorted((base / name).rglob("*"))]
    return {str(path): path.read_text() for path in paths} | {
        str(path): "" for path in base.iterdir()
    }


@settings(max_examples=200, deadline=None)
@given(path=_PATHS, links=_LINKS)
def test_it_works(path: str, links: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        root = build(base, links)
        before = files_outside(base)
        wanted = path.format(root=root)
        try:
            with open_file(root, wanted) as file:
                real = Path(f"/proc/self/fd/{file.handle.fileno()}").readlink()
                assert real.is_relative_to(root)
                assert real == root / file.shown
        except ToolError:
            pass
        try:
            shown, _ = write_file(root, wanted, b"new")
            assert (root / shown).resolve() == root / shown
            assert (root / shown).read_bytes() == b"new"
        except ToolError:
            pass
        assert files_outside(base) == before
