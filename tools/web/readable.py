"""The readable text of a page: its article where it has one, else all of it."""

from __future__ import annotations

import copy
import logging
from dataclasses import dataclass
from typing import Literal

from tools.web.html import Element, hidden_drop, is_index, is_intricate, page_title, page_tree
from tools.web.plain_page import page_markdown, page_text

Mode = Literal["markdown", "text"]
# An article that is shorter than this and than a part of the page is taken for a wrong guess.
_SHORT = 250
_PART = 4


@dataclass(frozen=True, slots=True)
class Readable:
    """`extractor` says what made the text: "readability" or "basic"."""

    text: str
    title: str = ""
    extractor: str = "basic"


def page_read(text: str, *, url: str, mode: Mode, readability: bool) -> Readable:
    """What a person would read on the page. Slow for long pages: run it in a thread.

    Hidden elements are left out in every case. `url` makes links absolute.
    """
    tree = page_tree(text)
    if tree is None:
        return Readable("")
    title = page_title(tree)
    hidden_drop(tree)
    plain = page_markdown(tree, url) if mode == "markdown" else page_text(tree)
    if readability and not is_intricate(tree) and not is_index(tree):
        article = _article(tree, url, mode)
        if article and not (len(article) < _SHORT and len(article) * _PART < len(plain)):
            return Readable(article, title, "readability")
    return Readable(plain, title)


def _article(tree: Element, url: str, mode: Mode) -> str:
    # Slow to import and needed by workers only.
    import trafilatura

    # It reports pages without an article as errors, which they are not.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    marks = mode == "markdown"
    found = trafilatura.extract(
        copy.deepcopy(tree),
        url=url,
        output_format="markdown" if marks else "txt",
        include_links=marks,
        include_formatting=marks,
        include_comments=False,
        include_tables=True,
        favor_recall=True,
    )
    return (found or "").strip()
