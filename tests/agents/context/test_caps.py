"""Long texts are cut at a place that makes sense, and the end is kept where it tells something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.caps import result_limit, text_capped
from agents.context.result_cut import text_shortened


def test_it_works() -> None:
    """Whole lines, a note with what is missing, and the error at the end."""
    text = "".join(f"line {number}\n" for number in range(5_000)) + "error: it broke\n"
    shown = text_shortened(text, 4_000, stored="abc")
    head, note, tail = shown.partition("[")
    assert head.endswith("\n")
    assert head.splitlines()[-1].startswith("line ")
    assert 'read_result {"id": "abc", "offset": ' in note + tail
    assert shown.rstrip().endswith("error: it broke")


@given(
    st.text(min_size=1, max_size=400).map(lambda text: text * 30),
    st.integers(min_value=200, max_value=2_000),
    st.booleans(),
)
def test_head_and_tail_are_parts_of_the_text(text: str, limit: int, failed: bool) -> None:
    """Nothing is invented, nothing is longer than allowed, and the gap is counted right."""
    parts = text_capped(text, limit, is_error=failed)
    if parts is None:
        assert len(text) <= limit
        return
    assert text.startswith(parts.head)
    assert text.endswith(parts.tail)
    assert 0 < len(parts.head) + len(parts.tail) <= limit
    assert parts.left_out == len(text) - len(parts.head) - len(parts.tail) > 0


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        ("}", True),
        ("]\n", True),
        ("Total: 5", True),
        ("Traceback ...", True),
        ("nothing of note", False),
    ],
)
def test_whether_the_end_matters(end: str, kept: bool) -> None:
    """The end of a document, a sum, an error."""
    parts = text_capped("word " * 5_000 + end, 4_000)
    assert parts is not None
    assert bool(parts.tail) == kept


def test_a_character_made_of_several_stays_whole() -> None:
    """No cut before a combining mark, a skin tone or a joiner."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    text = family * 2_000
    for limit in range(2_000, 2_010):
        parts = text_capped(text, limit)
        assert parts is not None
        assert parts.head.endswith("\U0001f467")


def test_json_is_cut_between_elements() -> None:
    """Not in the middle of a number or a name."""
    text = "[" + ", ".join(f'{{"id": {number}}}' for number in range(9_000)) + "]"
    parts = text_capped(text, 3_000)
    assert parts is not None
    assert parts.head.rstrip().endswith(",")
    assert parts.tail.lstrip().startswith("{")


@pytest.mark.parametrize(
    ("window", "limit"), [(8_000, 9_600), (200_000, 16_000), (1_000, 2_000), (13_333, 15_999)]
)
def test_limits(window: int, limit: int) -> None:
    """30 % of the window in characters, at most the setting, at least 2,000."""
    assert result_limit(window, 16_000) == limit
