"""The documents of the project and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+\s+(.+)$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")


def documents() -> list[Path]:
    """Every Markdown file that people read, the ones at the top first."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def page(name: str) -> str:
    """The text of a document by its path in the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def code_blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return [body for found, body in _FENCE.findall(text) if found == language]


def code_words(text: str) -> set[str]:
    """Every word in code spans and code blocks, dotted ones whole and in parts."""
    prose = _FENCE.sub("", text)
    spans = [*_CODE.findall(prose), *(body for _language, body in _FENCE.findall(text))]
    whole = {word for span in spans for word in re.findall(r"[\w./\-]+", span)}
    return whole | {part for word in whole for part in word.split(".")}


def anchor(heading: str) -> str:
    """The name under which a heading can be linked to."""
    plain = re.sub(r"[^\w\s-]", "", heading.strip().lower())
    return re.sub(r"\s", "-", plain)


def broken_links(text: str, folder: Path) -> Iterator[str]:
    """Links to files or headings of the project that are not there; other sites are not asked."""
    for target in _LINK.findall(_FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        path = (folder / name).resolve() if name else None
        if path is not None and not path.exists():
            yield target
        elif heading:
            linked = path.read_text(encoding="utf-8") if path is not None else text
            if heading not in map(anchor, _HEADING.findall(linked)):
                yield target
