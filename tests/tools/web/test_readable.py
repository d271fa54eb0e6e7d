"""Bytes become text and pages become readable, whatever they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.web.cache import RecentCache
from tools.web.decode import body_decode, media_type
from tools.web.readable import page_read

_TAGS = (
    *("p", "div", "a", "table", "tr", "td", "pre", "li", "ul", "h1", "br", "b", "script", "/p"),
    *("/div", "/a", "/pre", "!--", "svg", "template", "form", "body", "html", "head", "title"),
)
_HTML = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in _TAGS]),
        st.sampled_from(["<a href='", "<p style='", "&#0;", "&lt;", "<![CDATA[", "\0", "<?x"]),
        st.text(max_size=8),
    )
).map("".join)


def read(text: str) -> str:
    """The page as Markdown, all of it."""
    return page_read(text, url="https://example.org/a/", mode="markdown", readability=False).text


def test_it_works() -> None:
    page = "<title>T</title><h2>Head</h2><p>One <b>two</b>\n three<br>four<ul><li>x<li>y</ul>"
    found = page_read(page, url="https://e.org/", mode="markdown", readability=False)
    assert (found.title, found.extractor) == ("T", "basic")
    assert found.text == "## Head\n\nOne two three\nfour\n\n- x\n- y"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<a href='b'>text</a>", "[text](https://example.org/a/b)"),
        ("<a href='//x.org/ y'>text</a>", "[text](https://x.org/%20y)"),
        ("<a href='javascript:x'>text</a>", "text"),
        ("<a href='http://[bad'>text</a>", "text"),
        ("<a href='b'> </a>after", "after"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<p>a<p>b<div>c</div>", "a\n\nb\n\nc"),
        ("<img alt='a cat' src=x>", "[a cat]"),
        ("<table><tr><td>1<td>2<tr><td>3</table>", "1 | 2 |\n3 |"),
        ("<p>a<span style='font-size:0'>b</span><span style='opacity: 0'>c</span>d", "ad"),
        ("<p>a<span style='position:absolute;left:-9999px'>b</span>c", "ac"),
        ("<p>a<span class='x visually-hidden'>b</span>c", "ac"),
        ("<p>a<span style='opacity: 0.5; font-size:0.8em'>b</span>c", "abc"),
        ("<?xml version='1.0' encoding='utf-16'?><p>\u00fc", "\u00fc"),
        ("no tags at all", "no tags at all"),
        ("&lt;b&gt; &amp;amp;", "<b> &amp;"),
    ],
)
def test_parts_of_pages(page: str, text: str) -> None:
    assert read(page) == text


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("Text/HTML; charset=utf-8", "text/html"),
        ("application/ld+json", "application/ld+json"),
        ("text/html<script>", ""),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_types(header: str, kind: str) -> None:
    assert media_type(header) == kind


def test_what_was_found_lately() -> None:
    cache: RecentCache[int] = RecentCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a", 15) == 1
    cache.put("c", 3)
    assert (cache.get("b", 15), cache.get("a", 15), cache.get("c", 15)) == (None, 1, 3)
    assert cache.get("a", 0) is None
    cache.clear()
    assert cache.get("a", 15) is None


@given(_HTML, st.booleans())
def test_every_page_is_read(page: str, marks: bool) -> None:
    mode = "markdown" if marks else "text"
    found = page_read(page, url="https://e.org/", mode=mode, readability=False)  # type: ignore[arg-type]
    assert "\0" not in found.text


@given(
    st.binary(),
    st.sampled_from(["", "utf-8", "latin-1", "utf-16", "zip", "x", "idna", "undefined", "utf-7"]),
)
def test_every_body_is_read_or_binary(body: bytes, label: str) -> None:
    found = body_decode(body, f"text/html; charset={label}")
    if found is not None:
        found[0].encode()
        assert "\0" not in found[0]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_text_in_utf_8_comes_back(text: str) -> None:
    found = body_decode(text.encode(), "text/plain; charset=utf-8")
    assert found is None or found[0] == text.removeprefix("\ufeff")
