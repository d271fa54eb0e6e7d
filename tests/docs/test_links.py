"""Links between documents lead somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, broken_links, documents


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_it_works(path: Path) -> None:
    assert list(broken_links(path.read_text(encoding="utf-8"), path.parent)) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A heading, with marks\n")
    text = (
        "# Here\n[a](there.md) [b](missing.md) [c](there.md#a-heading-with-marks) "
        "[d](there.md#nothing) [e](#here) [f](#away) [g](https://example.org/x)\n"
        "```\n[h](in-code.md)\n```\n"
    )
    assert list(broken_links(text, tmp_path)) == ["missing.md", "there.md#nothing", "#away"]


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [path.name for path in documents() if path.name not in (readme + "README.md")]
    assert missing == []
