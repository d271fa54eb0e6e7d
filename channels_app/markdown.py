"""Markdown of agents as HTML that is safe to put into a page.

Three steps, each of which would be enough against scripts on its own: the parser knows no HTML,
links and images are rewritten to what a page may hold, and an allow-list removes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

# Beyond these a page would freeze: parsing takes about 3 s/MB, colouring about 2 s/MB.
LONGEST_MARKDOWN = 256_000
LONGEST_COLOURED = 60_000
LONGEST_CACHED = 32_000

_SAFE_LINK = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_OWN_IMAGE = re.compile(r"/chat/attachments/[0-9A-Za-z]{26}/")
_BARE_LINK = re.compile(r"https?://[^\s<>\"'`|]+[^\s<>\"'`|.,;:!?)\]}]", re.IGNORECASE)
# Embeddings, overrides and isolates reorder what a reader sees; tag characters hide text from
# people while a model reads it. Marks (U+200E, U+200F, U+061C) stay, Arabic and Hebrew need them.
_TRICKS = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_CLASSES = re.compile(r"(?:code|hl|right|center|[a-z]{1,3}[0-9]?)(?: [a-z]{1,3}[0-9]?)*")

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("hr", "img", "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th"),
    *("thead", "tr", "ul"),
}
_ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "title"},
    "code": {"class"},
    "div": {"class", "data-language"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}


def markdown_render(text: str) -> str:
    """Sanitised HTML for `text`, byte-stable; the same text is rendered once and remembered.

    Never raises. Very long texts come back as one block of plain text.
    """
    return _remembered(text) if len(text) <= LONGEST_CACHED else _render(text)


def tricks_shown(text: str) -> str:
    """`text` with every invisible reordering or hidden character spelled out as [U+202E]."""
    return _TRICKS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


@lru_cache(maxsize=512)
def _remembered(text: str) -> str:
    return _render(text)


def _render(text: str) -> str:
    if len(text) > LONGEST_MARKDOWN:
        plain = escape(tricks_shown(text))
        return f'<div class="code"><pre tabindex="0"><code>{plain}</code></pre></div>'
    clean = nh3.clean(
        _parser().render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute_kept,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        # Long lines are scrolled by keyboard too.
        set_tag_attribute_values={"a": {"target": "_blank"}, "pre": {"tabindex": "0"}},
    )
    # Last, because entities (&#x202e;) are characters only now.
    return tricks_shown(clean)


def _attribute_kept(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        return value if _CLASSES.fullmatch(value) else None
    if name == "src":
        return value if _OWN_IMAGE.fullmatch(value) else None
    return value


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"])
    parser.validateLink = _link_allowed  # type: ignore[method-assign]
    parser.core.ruler.after("inline", "bare_links", _bare_links)
    parser.core.ruler.push("lower_headings", _lower_headings)
    return parser


def _link_allowed(url: str) -> bool:
    return bool(_SAFE_LINK.match(url) or _OWN_IMAGE.fullmatch(url))


def _lower_headings(state: StateCore) -> None:
    """The page's own title is its only first heading; those of an answer come below it."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"


def _bare_links(state: StateCore) -> None:
    for block in state.tokens:
        if block.type == "inline" and block.children:
            block.children = _with_links(block.children)


def _with_links(children: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    inside = 0
    for token in children:
        inside += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not inside and "://" in token.content:
            found.extend(_split_at_links(token))
        else:
            found.append(token)
    return found


def _split_at_links(token: Token) -> list[Token]:
    parts: list[Token] = []
    done = 0
    for match in _BARE_LINK.finditer(token.content):
        parts.append(Token("text", "", 0, content=token.content[done : match.start()]))
        parts.append(Token("link_open", "a", 1, attrs={"href": match[0]}))
        parts.append(Token("text", "", 0, content=match[0]))
        parts.append(Token("link_close", "a", -1))
        done = match.end()
    parts.append(Token("text", "", 0, content=token.content[done:]))
    return parts


class _Renderer(RendererHTML):
    """Blocks of code with colours, images as links, alignment as classes."""

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A stored file of ours is shown; anything else becomes a link that nobody loads."""
        token = tokens[idx]
        alt = self.renderInlineAsText(token.children, options, env)
        source = str(token.attrGet("src") or "")
        if _OWN_IMAGE.fullmatch(source):
            return f'<img src="{escape(source)}" alt="{escape(alt)}">'
        return f'<a href="{escape(source)}">{escape(alt or source)}</a>'

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A block of code, coloured when its language is known."""
        token = tokens[idx]
        language = re.sub(r"[^a-z0-9+#-]", "", token.info.split(" ")[0].lower())[:20]
        return (
            f'<div class="code" data-language="{language}"><pre><code class="hl">'
            f"{_coloured(token.content, language)}</code></pre></div>\n"
        )

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """An indented block of code."""
        return f'<div class="code"><pre><code>{escape(tokens[idx].content)}</code></pre></div>\n'

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A cell; styles are not allowed in our pages, so alignment is a class."""
        token = tokens[idx]
        side = str(token.attrs.pop("style", "")).removeprefix("text-align:")
        if side in ("right", "center"):
            token.attrSet("class", side)
        return self.renderToken(tokens, idx, options, env)

    th_open = td_open


def _coloured(code: str, language: str) -> str:
    if not language or len(code) > LONGEST_COLOURED:
        return escape(code)
    # Pygments is large: processes that never show code do not load it.
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer: Any = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))
