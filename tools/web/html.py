"""A page as a tree without what a reader would not see."""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree
from lxml import html as lxml_html

# Pages beyond this are not searched for their article: it would take many seconds.
MAX_DEPTH: Final = 500
MAX_ELEMENTS: Final = 15_000

Element = Any

_UNREAD = (
    *("script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "embed"),
    *("head", "input", "select", "textarea", "button", "audio", "video", "map", "dialog"),
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0+)?\s*(?:;|$|!)"
    r"|font-size\s*:\s*0*(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|$|!)"
    r"|(?:text-indent|left|top|right|bottom)\s*:\s*-\d{4,}"
    r"|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*(?:;|$|!)"
    r"|color\s*:\s*transparent",
    re.IGNORECASE,
)
_HIDDEN_CLASSES = frozenset(
    {"sr-only", "visually-hidden", "screen-reader-text", "hidden", "invisible", "d-none"}
)


def page_tree(text: str) -> Element | None:
    """The page as a tree, None when there is nothing to read in it."""
    parser = lxml_html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    # A declaration inside would contradict the text, which is decoded already.
    body = re.sub(r"\A\s*<\?xml[^>]*\?>", "", text)
    try:
        tree: Element = lxml_html.document_fromstring(body.replace("\0", ""), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    return tree


def page_title(tree: Element) -> str:
    """The title of the page, else what it calls itself elsewhere; "" when it has none."""
    for path in ("//head/title", "//title", "//meta[@property='og:title']", "//h1"):
        for element in tree.xpath(path):
            text = element.get("content") or element.text_content()
            if joined := " ".join(text.split()):
                return str(joined)
    return ""


def hidden_drop(tree: Element) -> None:
    """Takes out what is not shown on the page or no text: scripts, forms, hidden elements."""
    for element in list(tree.iter()):
        if element.getparent() is None or element.tag == "body":
            continue
        if not isinstance(element.tag, str) or element.tag in _UNREAD or _is_hidden(element):
            element.drop_tree()


def is_intricate(tree: Element) -> bool:
    """Whether the tree has more elements, or deeper ones, than are searched for an article."""
    depth = elements = 0
    for event, _element in etree.iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        elements += event == "start"
        if depth > MAX_DEPTH or elements > MAX_ELEMENTS:
            return True
    return False


def is_index(tree: Element) -> bool:
    """Whether the page leads to others rather than telling something: most of its text is links."""
    links = sum(len(element.text_content()) for element in tree.iter("a"))
    return links * 2 > len(tree.text_content())


def _is_hidden(element: Element) -> bool:
    attributes = element.attrib
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden", "").lower() == "true":
        return True
    style = attributes.get("style")
    if style and _HIDDEN_STYLE.search(style):
        return True
    classes = attributes.get("class")
    return bool(classes) and not _HIDDEN_CLASSES.isdisjoint(classes.split())
