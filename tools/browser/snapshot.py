"""Shapes the tree of a page that Playwright gives into what a model reads. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# runtime.md 4.5
MAX_CHARS = 40_000
EFFICIENT_CHARS = 8_000
EFFICIENT_DEPTH = 6

_LINE = re.compile(r"( *)- (.*)\Z", re.DOTALL)
_REF = re.compile(r" \[ref=((?:f\d+)?e\d+)\]")
_CURSOR = " [cursor=pointer]"
# Elements that only hold others.
_STRUCTURE = re.compile(r"(?:generic|group|none|presentation)(?: \[[^\]]*\])*:?\Z")
_INTERACTIVE = re.compile(
    r"(?:button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|listbox"
    r"|option|menuitem(?:checkbox|radio)?|tab|treeitem|iframe)\b"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """What is left of a tree. `depth` counts levels, 0 for all of them."""

    chars: int = MAX_CHARS
    depth: int = 0
    interactive: bool = False
    compact: bool = False
    urls: bool = False


@dataclass(frozen=True, slots=True)
class Shaped:
    """The text, how many elements in it can be acted on, and whether something was cut."""

    text: str
    refs: int
    cut: bool


@dataclass(frozen=True, slots=True)
class _Line:
    level: int
    text: str


def snapshot_shape(tree: str, shape: Shape) -> Shaped:
    """`tree` with only what `shape` asks for, cut at the end of a line."""
    lines = list(_lines(tree))
    if not shape.urls:
        lines = [line for line in lines if not line.text.startswith("/url:")]
    if shape.compact:
        lines = list(_without_structure(lines))
    if shape.depth:
        lines = [line for line in lines if line.level < shape.depth]
    if shape.interactive:
        lines = [
            _Line(0, line.text.rstrip(":"))
            for line in lines
            if _INTERACTIVE.match(line.text) and _REF.search(line.text)
        ]
    text = "\n".join("  " * line.level + "- " + line.text for line in lines)
    cut = len(text) > shape.chars
    if cut:
        text = text[: shape.chars].rpartition("\n")[0] or text[: shape.chars]
    return Shaped(text, len(_REF.findall(text)), cut)


def _lines(tree: str) -> Iterator[_Line]:
    for raw in tree.splitlines():
        match = _LINE.match(raw)
        if match is not None:
            yield _Line(len(match[1]) // 2, match[2].replace(_CURSOR, ""))


def _without_structure(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Elements without a name or text are left out; what they hold moves up."""
    dropped: list[int] = []
    for line in lines:
        while dropped and dropped[-1] >= line.level:
            dropped.pop()
        if _STRUCTURE.match(line.text):
            dropped.append(line.level)
        else:
            yield _Line(line.level - len(dropped), line.text)
