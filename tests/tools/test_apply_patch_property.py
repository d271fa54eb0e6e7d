"""A patch made from two texts turns the first into exactly the second."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from tools.patching.document import UpdateFile
from tools.patching.parse import parse_patch
from tools.patching.update import apply_hunks

# Few different lines, so that the same ones come again and again; also such as look like marks.
LINES = st.lists(
    st.one_of(
        st.sampled_from(["", "a", "b", " ", "@@", "+", "*** End of File", "*** End Patch"]),
        st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=8),
    ),
    max_size=12,
)


def hunks(before: list[str], after: list[str]) -> list[list[str]]:
    """Each change with everything that is kept since the one before, or up to the next one."""
    found: list[list[str]] = []
    kept: list[str] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            kept = [" " + line for line in before[i:j]]
            if len(found) == 1 and not any(line[0] != "+" for line in found[0]):
                found[0] += kept
                kept = []
            continue
        changed = ["-" + line for line in before[i:j]] + ["+" + line for line in after[k:m]]
        if found and not kept:
            # Lines that are only added need a kept one to go by: it is in the part before.
            found[-1] += changed
        else:
            found.append([*kept, *changed])
        kept = []
    return found


def patched(before: str, parts: list[list[str]]) -> str:
    lines = ["*** Begin Patch", "*** Update File: a"]
    for part in parts:
        lines += ["@@", *part]
    (section,) = parse_patch("\n".join([*lines, "*** End Patch"]))
    assert isinstance(section, UpdateFile)
    return apply_hunks(before, section.hunks, "a").text


def text_of(lines: list[str], ending: str, *, closed: bool) -> str:
    return ending.join(lines) + (ending if closed and lines else "")


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_it_works(before: list[str], after: list[str], ending: str) -> None:
    first = text_of(before, ending, closed=True)
    # An empty file has no line ends to go by.
    second = text_of(after, ending if before else "\n", closed=True)
    parts = hunks(before, after)
    assert (patched(first, parts) if parts else first) == second


@given(LINES, LINES)
def test_a_missing_line_end_stays_missing(before: list[str], after: list[str]) -> None:
    before, after = [*before, "end"], [*after, "end"]
    parts = hunks(before, after)
    first, second = text_of(before, "\n", closed=False), text_of(after, "\n", closed=False)
    assert (patched(first, parts) if parts else first) == second


@given(st.lists(st.integers(0, 99), unique=True), st.data())
def test_three_lines_of_context_are_enough_where_lines_differ(
    numbers: list[int], data: st.DataObject
) -> None:
    before = [f"line {number}" for number in numbers]
    after = [line for line in before if data.draw(st.booleans())] + ["new"]
    parts = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
        part = []
        for kind, i, j, k, m in group:
            if kind == "equal":
                part += [" " + line for line in before[i:j]]
            else:
                part += ["-" + line for line in before[i:j]] + ["+" + line for line in after[k:m]]
        parts.append(part)
    assert patched(text_of(before, "\n", closed=True), parts) == text_of(after, "\n", closed=True)
