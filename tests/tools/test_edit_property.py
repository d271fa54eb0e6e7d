"""Applying edits equals a reference that works in another way."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import ToolError
from tools.editing.apply import Edit, Edited, apply_edits
from tools.editing.diff import diff_of, first_changed_line
from tools.editing.evened import even_all, even_line_ends

_PIECES = st.text("ab \n\u201c", min_size=1, max_size=4)
_CASES = st.lists(st.tuples(st.booleans(), _PIECES, _PIECES), min_size=1, max_size=6)


def marked(original: str, edits: list[Edit]) -> str:
    """The reference for edits that do not overlap: first a mark for each old text, then the new."""
    for number, edit in enumerate(edits):
        original = original.replace(edit.old, chr(0xE000 + number))
    for number, edit in enumerate(edits):
        original = original.replace(chr(0xE000 + number), edit.new)
    return original


def once(text: str, wanted: str) -> bool:
    return text.find(wanted) >= 0 and text.find(wanted) == text.rfind(wanted)


@given(_CASES, st.randoms())
def test_it_works(case: list[tuple[bool, str, str]], random: object) -> None:
    original = "".join(piece for _, piece, _ in case)
    edits = [Edit(piece, new) for chosen, piece, new in case if chosen and once(original, piece)]
    random.shuffle(edits)  # type: ignore[attr-defined]
    expected = marked(original, edits)
    places = sorted((original.find(e.old), original.find(e.old) + len(e.old)) for e in edits)
    if expected == original or any(b[0] < a[1] for a, b in pairwise(places)):
        with pytest.raises(ToolError):
            apply_edits(original, edits)
    else:
        assert apply_edits(original, edits) == Edited(expected)


@given(st.text("ab \r\n\t\u00a0\u201c\u0301\ufb01e", max_size=30))
def test_evened_text_knows_its_origin(text: str) -> None:
    for evened in (even_all(text), even_line_ends(text)):
        assert len(evened.text) == len(evened.starts) == len(evened.ends)
        for start, end in zip(evened.starts, evened.ends, strict=True):
            assert 0 <= start < end <= len(text)
        assert list(evened.starts) == sorted(evened.starts)
    assert even_line_ends(text).text == text.replace("\r\n", "\n")


@given(st.text("ab \n", max_size=30), st.data())
def test_what_stands_there_once_is_found_evened_too(text: str, data: st.DataObject) -> None:
    evened = even_all(text)
    start = data.draw(st.integers(0, len(evened.text)))
    end = data.draw(st.integers(start, len(evened.text)))
    wanted = evened.text[start:end]
    if wanted and once(evened.text, wanted):
        ((found_start, found_end),) = evened.find_all(wanted, 5)
        assert even_all(text[found_start:found_end]).text.rstrip() == wanted.rstrip()


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_the_first_changed_line_is_the_first_that_differs(before: str, after: str) -> None:
    line = first_changed_line(before, after)
    assert before.split("\n")[: line - 1] == after.split("\n")[: line - 1]
    assert before.split("\n")[:line] != after.split("\n")[:line] or before == after
    assert (diff_of(before, after, "a") == "") == (before == after)
