"""Reasoning and final tags never show, however the stream cuts them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.core.think_tags import NAMES, Piece, ThinkTags, joined, tags_split

NAMED = st.sampled_from([prefix + name for name in NAMES[:4] for prefix in ("", "antml:")])
CASED = st.tuples(NAMED, st.sampled_from([str.lower, str.upper, str.title])).map(
    lambda pair: pair[1](pair[0])
)
# Everything that may confuse the filter, in small pieces.
CRUMBS = st.sampled_from([
    *("<think>", "</think>", "<THINKING a='b'>", "</Thinking>", "<thought>", "<think/>"),
    *("<final>", "</final>", "<", "</", "<thi", "nk>", ">", "/", "< ", "<table>", "x<y"),
    *("`", "``", "```", "~~~", "```py\n", "\n", "\n\n", "\r\n", " ", "- ", "> ", "1. "),
    *("word", "secret ", "ж", "🦞"),
])  # fmt: skip
TEXTS = st.lists(CRUMBS, max_size=30).map("".join)
CUTS = st.lists(st.integers(0, 80), max_size=20)
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="<`~\r"), max_size=20)


def in_parts(text: str, cuts: Iterable[int], *, final: bool = False) -> tuple[str, str, str]:
    """Visible text, reasoning and leftover of `text`, fed in parts."""
    tags = ThinkTags(enforce_final=final)
    pieces: list[Piece] = []
    last = 0
    for cut in [*sorted(cut for cut in cuts if cut < len(text)), len(text)]:
        pieces += tags.feed(text[last:cut])
        last = cut
    pieces += tags.flush(alone=False)
    return joined(pieces, "text"), joined(pieces, "thinking"), tags.leftover


def test_it_works() -> None:
    assert tags_split("<think>hm</think>\n\nHello") == ("Hello", "hm")
    assert in_parts("<think>hm</think>\n\nHello", range(30)) == ("Hello", "hm", "")


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("<THOUGHT>a</thought>b", "b", "a"),
        ('<thinking budget="9">a</thinking>b', "b", "a"),
        ("<antthinking>a</antthinking>b", "b", "a"),
        ("< think >a< / think >b", "b", "a"),
        ("<think>a<think>b</think>c</think>d", "d", "abc"),
        ("a<think/>b", "ab", ""),
        ("reasons</think>answer", "reasonsanswer", ""),
        ("said<think>never closed", "said", "never closed"),
        ("<think>never closed", "never closed", ""),
        ("<think>the <think> tag</think>Answer", "Answer", "the  tag"),
        ("<final>Hi</final> there", "Hi there", ""),
        ("a `<think>` b", "a `<think>` b", ""),
        ("``a ` <think>`` b", "``a ` <think>`` b", ""),
        ("an odd ` and <think>x</think> b", "an odd ` and  b", "x"),
        ("odd `\n\n<think>x</think>` b", "odd `\n\n` b", "x"),
        ("<think>say `</think>` then</think>b", "b", "say `</think>` then"),
        ("<think>an odd `x</think>The `y`", "The `y`", "an odd `x"),
        ("```\n<think>\n```\n<think>x</think>b", "```\n<think>\n```\nb", "x"),
        ("~~~\n<final>\n``` \n~~~\n", "~~~\n<final>\n``` \n~~~\n", ""),
        ("```a`b <think>x</think>", "```a`b ", "x"),
        ("- ```\n  <think>\n  ```\n", "- ```\n  <think>\n  ```\n", ""),
        ("<think>x</think>```\n<think>\n```", "```\n<think>\n```", "x"),
        ("````\n```\n<think>\n````", "````\n```\n<think>\n````", ""),
        ("a < b and List<Thinker> <thinking-cap> <b>", None, ""),
        ("cut at <thi", "cut at <thi", ""),
        ("cut in <thinking eff", "cut in ", ""),
        ("1 <" + " " * 300 + "think>", None, ""),
    ],
)
def test_each_form(text: str, said: str | None, thought: str) -> None:
    """None: as written."""
    assert tags_split(text) == (text if said is None else said, thought)


def test_only_final_text_counts_where_it_is_demanded() -> None:
    text = "plan <think>hm</think><final>Hi `<final>`</final> rest"
    assert tags_split(text, enforce_final=True) == ("Hi `<final>`", "plan hm rest")
    # A model that forgets the tags is not made mute.
    assert tags_split("<think>hm</think>Hi", enforce_final=True) == ("Hi", "hm")


def test_nothing_is_given_back_beside_other_parts() -> None:
    assert tags_split("<think>never closed", alone=False) == ("", "never closed")


def test_text_without_a_tag_is_passed_on_at_once() -> None:
    tags = ThinkTags()
    assert tags.feed("a ` b") == [Piece("text", "a ` b")]
    assert tags.is_plain
    assert tags.feed(" < c") == [Piece("text", " < c")]
    assert not tags.is_plain
    assert tags.feed("<thi") == []
    assert tags.feed("s") == [Piece("text", "<this")]


@settings(max_examples=400)
@given(text=TEXTS, cuts=CUTS, final=st.booleans())
def test_the_cuts_make_no_difference(text: str, cuts: list[int], final: bool) -> None:
    whole = in_parts(text, [], final=final)
    assert in_parts(text, cuts, final=final) == whole
    assert in_parts(text, range(len(text)), final=final) == whole


@given(data=st.data(), name=CASED, end=CASED, cuts=CUTS)
def test_hidden_text_is_never_visible(
    data: st.DataObject, name: str, end: str, cuts: list[int]
) -> None:
    before, after = data.draw(PLAIN), data.draw(PLAIN)
    hidden = "HIDDEN" + data.draw(TEXTS).replace("<", "").replace(">", "").replace("`", "")
    text = f"{before}<{name}>{hidden}</{end}>{after}"
    said, thought, _ = in_parts(text, cuts)
    assert thought == hidden
    assert said == before + (after if before.strip() else after.lstrip())


@given(code=TEXTS, cuts=CUTS, around=PLAIN)
def test_fences_are_kept_as_written(code: str, cuts: list[int], around: str) -> None:
    body = re.sub("`{3,}|~{3,}", "x", code)
    text = f"{around}\n````py\n{body}\n````\n<think>x</think>{around}end"
    assert in_parts(text, cuts)[0] == text.replace("<think>x</think>" + around, around, 1)


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="<")), cuts=CUTS)
def test_text_without_tags_stays(text: str, cuts: list[int]) -> None:
    assert in_parts(text, cuts) == (text, "", "")
