"""Notes in pieces."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.chunks import chunks_of, tokens_of


def test_it_works() -> None:
    text = "\n".join(f"line {number} of a note" for number in range(1, 201))
    found = chunks_of(text, tokens=100, overlap=20)
    assert found[0].start == 1
    assert found[-1].end == 200
    assert all(tokens_of(chunk.text) <= 100 for chunk in found)
    for one, following in pairwise(found):
        assert one.start < following.start <= one.end


def test_a_heading_begins_a_new_piece() -> None:
    text = "# One\n" + "words and words\n" * 16 + "# Two\nmore"
    assert [chunk.text.split("\n")[0] for chunk in chunks_of(text, tokens=100)] == [
        "# One",
        "# Two",
    ]


def test_a_long_line_is_cut() -> None:
    line = "".join(f"{number:05}" for number in range(1_000))
    found = chunks_of(line, tokens=100, overlap=0)
    assert len(found) > 1
    assert {chunk.start for chunk in found} == {1}
    assert "".join(chunk.text.replace("\n", "") for chunk in found) == line


def test_wide_characters_count_more() -> None:
    assert tokens_of("你好吗") == 3
    assert tokens_of("abcd") == 1
    assert len(chunks_of("\n".join(["你" * 100] * 8))) > len(chunks_of("\n".join(["a" * 100] * 8)))


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60),
             max_size=60),
    st.integers(20, 200),
    st.integers(0, 40),
)  # fmt: skip
def test_nothing_is_lost(lines: list[str], tokens: int, overlap: int) -> None:
    found = chunks_of("\n".join(lines), tokens=tokens, overlap=overlap)
    covered = {number for chunk in found for number in range(chunk.start, chunk.end + 1)}
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= covered
    for chunk in found:
        assert tokens_of(chunk.text) <= tokens
