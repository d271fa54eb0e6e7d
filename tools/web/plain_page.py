"""A page as simple Markdown or text, for what is no article: every visible word, in order."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from lxml import etree

from tools.web.html import Element

_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section", "summary"),
        *("table", "tbody", "tfoot", "thead", "tr", "ul", "caption"),
    }
)
_PARAGRAPHS = _BLOCKS - {"li", "tr", "dt", "dd"}
_STARTS = {"li": "- ", "hr": "---", "blockquote": "> "} | {
    f"h{level}": "#" * level + " " for level in range(1, 7)
}
_SPACE = re.compile(r"[ \t\r\f\v\n\u00a0]+")
_GAPS = re.compile(r"\n{3,}")


def page_markdown(tree: Element, base: str) -> str:
    """The page with headings, lists, table rows, code and links (made absolute with `base`)."""
    return _Writer(base).written(tree)


def page_text(tree: Element) -> str:
    """The page as lines of text."""
    return _Writer("", marks=False).written(tree)


class _Writer:
    """Walks through a tree without recursion: pages may be nested as deep as they like."""

    def __init__(self, base: str, *, marks: bool = True) -> None:
        self._base = base
        self._marks = marks
        self._parts: list[str] = []
        self._pre = 0
        self._links: list[tuple[str, int]] = []

    def written(self, tree: Element) -> str:
        """The whole text."""
        for event, element in etree.iterwalk(tree, events=("start", "end")):
            if event == "start":
                self._start(element)
                self._add(element.text)
            else:
                self._end(element)
                self._add(element.tail)
        lines = (line.rstrip() for line in "".join(self._parts).split("\n"))
        return _GAPS.sub("\n\n", "\n".join(lines)).strip()

    def _start(self, element: Element) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._break(2 if tag in _PARAGRAPHS else 1)
        if tag == "br":
            self._parts.append("\n")
        if tag == "pre":
            self._pre += 1
        if not self._marks:
            return
        if tag in _STARTS:
            self._parts.append(_STARTS[tag])
        elif tag == "pre":
            self._parts.append("```\n")
        elif tag == "a" and element.get("href"):
            self._links.append((element.get("href"), len(self._parts)))
            self._parts.append("")
        elif tag == "img" and (alt := element.get("alt")):
            self._add(f"[{alt}]")

    def _end(self, element: Element) -> None:
        tag = element.tag
        if tag == "pre":
            self._pre -= 1
            self._parts.append("\n```" if self._marks else "")
        if tag in ("td", "th"):
            self._parts.append(" | " if self._marks else "\t")
        if tag == "a" and element.get("href") and self._marks:
            self._link(*self._links.pop())
        if tag in _BLOCKS:
            self._break(2 if tag in _PARAGRAPHS else 1)

    def _link(self, target: str, place: int) -> None:
        text = "".join(self._parts[place:]).strip()
        try:
            address = urljoin(self._base, target.strip())
        except ValueError:
            return
        if text and address.startswith(("http://", "https://")) and "\n" not in text:
            self._parts[place:] = [f"[{text}](", address.replace(" ", "%20"), ")"]

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if self._pre:
            self._parts.append(text)
            return
        text = _SPACE.sub(" ", text)
        if not self._parts or self._parts[-1].endswith(("\n", " ")):
            text = text.lstrip(" ")
        if text:
            self._parts.append(text)

    def _break(self, lines: int) -> None:
        tail = "".join(self._parts[-3:])
        there = len(tail) - len(tail.rstrip("\n"))
        if tail and there < lines:
            self._parts.append("\n" * (lines - there))
