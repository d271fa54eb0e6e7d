"""The tree of a page, shaped for a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.browser.snapshot import Shape, snapshot_shape

TREE = """- generic [active] [ref=e1]:
  - banner [ref=e2]:
    - link "Home" [ref=e3] [cursor=pointer]:
      - /url: https://example.org/
  - generic [ref=e4]:
    - generic [ref=e5]:
      - button "Go" [ref=e6]
      - text: between
    - paragraph [ref=e7]: "a: long text"
    - iframe [ref=e8]:
      - textbox "Name" [ref=f1e2]: Ada"""


def shape(**fields: object) -> str:
    return snapshot_shape(TREE, Shape(**fields)).text  # type: ignore[arg-type]


def test_it_works() -> None:
    shaped = snapshot_shape(TREE, Shape())
    assert (shaped.refs, shaped.cut) == (9, False)
    assert '- link "Home" [ref=e3]:' in shaped.text
    assert "cursor" not in shaped.text
    assert "/url" not in shaped.text
    assert shape(urls=True).count("https://example.org/") == 1


def test_only_what_can_be_acted_on() -> None:
    assert shape(interactive=True).splitlines() == [
        '- link "Home" [ref=e3]',
        '- button "Go" [ref=e6]',
        "- iframe [ref=e8]",
        '- textbox "Name" [ref=f1e2]: Ada',
    ]


def test_without_elements_that_only_hold_others() -> None:
    assert shape(compact=True).splitlines() == [
        "- banner [ref=e2]:",
        '  - link "Home" [ref=e3]:',
        '- button "Go" [ref=e6]',
        "- text: between",
        '- paragraph [ref=e7]: "a: long text"',
        "- iframe [ref=e8]:",
        '  - textbox "Name" [ref=f1e2]: Ada',
    ]


@pytest.mark.parametrize(("depth", "lines"), [(1, 1), (2, 3), (3, 7), (0, 10)])
def test_depth(depth: int, lines: int) -> None:
    assert len(shape(depth=depth).splitlines()) == lines


@given(chars=st.integers(1, 500))
def test_cut_at_the_end_of_a_line(chars: int) -> None:
    shaped = snapshot_shape(TREE, Shape(chars=chars))
    whole = snapshot_shape(TREE, Shape()).text
    assert len(shaped.text) <= chars
    assert whole.startswith(shaped.text)
    assert shaped.cut == (len(whole) > chars)


@given(st.text(), st.booleans(), st.booleans(), st.integers(0, 5))
def test_any_text_is_shaped(tree: str, compact: bool, interactive: bool, depth: int) -> None:
    shaped = snapshot_shape(tree, Shape(compact=compact, interactive=interactive, depth=depth))
    assert shaped.text.count("\n") <= len(tree.splitlines())
