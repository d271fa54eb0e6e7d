"""Text in other encodings is read right, and an edit leaves its bytes alone."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.edit import EDIT
from tools.builtin.read import READ
from tools.encoding import detect_encoding

TEXT = "Café résumé\r\nsecond line\r\n"
ENCODED = [
    TEXT.encode(),
    codecs.BOM_UTF8 + TEXT.encode(),
    TEXT.encode("cp1252"),
    codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
    TEXT.encode("utf-16-le"),
    TEXT.encode("utf-16-be"),
]


def edit(call: Call, old: str, new: str) -> None:
    call(EDIT, path="a.txt", edits=[{"oldText": old, "newText": new}])


@pytest.mark.parametrize("data", ENCODED)
def test_it_works(call: Call, workspace: Path, data: bytes) -> None:
    (workspace / "a.txt").write_bytes(data)
    shown = blocks_text(call(READ, path="a.txt").content)
    assert shown.startswith("Café résumé\nsecond line")


@pytest.mark.parametrize("data", ENCODED)
def test_an_edit_keeps_encoding_mark_and_line_ends(
    call: Call, workspace: Path, data: bytes
) -> None:
    path = workspace / "a.txt"
    path.write_bytes(data)
    edit(call, "résumé\nsecond", "naïve\nfirst")
    changed = path.read_bytes()
    edit(call, "naïve\nfirst", "résumé\nsecond")
    assert changed != data
    assert b"\r" in changed
    assert path.read_bytes() == data


def test_the_encoding_is_told(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes("Café".encode("cp1252"))
    result = call(READ, path="a.txt")
    assert blocks_text(result.content) == "Café\n\n[Decoded from cp1252.]"
    assert result.details["encoding"] == "cp1252"


def test_a_character_cut_at_the_end_is_marked(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes("größer €".encode()[:-1])
    assert blocks_text(call(READ, path="a.txt").content) == "größer \ufffd"
    edit(call, "größer", "kleiner")
    assert (workspace / "a.txt").read_bytes() == "kleiner €".encode()[:-1]


def test_a_long_character_cut_at_the_end_is_marked(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes("price 5 €".encode()[:-1])
    assert blocks_text(call(READ, path="a.txt").content) == "price 5 \ufffd"


def test_a_few_bad_bytes_do_not_turn_utf8_into_mojibake(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes("größer schöner ".encode() + b"\xff end")
    assert blocks_text(call(READ, path="a.txt").content) == "größer schöner \ufffd end"
    edit(call, "end", "Ende")
    assert (workspace / "a.txt").read_bytes() == "größer schöner ".encode() + b"\xff Ende"


def test_the_sample_may_end_inside_a_character(call: Call, workspace: Path) -> None:
    lines = "€" * 33 + "\n"
    (workspace / "a.txt").write_text(lines * 12_000)
    result = call(READ, path="a.txt", offset=11_000, limit=1)
    assert result.details["encoding"] == "utf-8"
    assert blocks_text(result.content).startswith("€" * 33)


def test_other_encodings_far_behind_in_a_long_file(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"plain line\n" * 100_000 + "Café\n".encode("cp1252"))
    assert "Café" in blocks_text(call(READ, path="a.txt", offset=100_001).content)


def test_a_character_the_encoding_lacks_is_named(call: Call, workspace: Path) -> None:
    data = "Café résumé".encode("cp1252")
    (workspace / "a.txt").write_bytes(data)
    with pytest.raises(ToolError, match=r"cp1252.*'日'"):
        edit(call, "Café", "日本")
    assert (workspace / "a.txt").read_bytes() == data


def test_wide_text_cut_inside_a_character_is_not_edited(call: Call, workspace: Path) -> None:
    data = codecs.BOM_UTF16_LE + "one two".encode("utf-16-le")[:-1]
    (workspace / "a.txt").write_bytes(data)
    assert "one tw" in blocks_text(call(READ, path="a.txt").content)
    with pytest.raises(ToolError, match="damaged"):
        edit(call, "one", "two")
    assert (workspace / "a.txt").read_bytes() == data


@given(st.binary(max_size=200))
def test_bytes_survive_whatever_they_are(data: bytes) -> None:
    encoding = detect_encoding(data)
    if encoding is None:
        return
    try:
        text = encoding.decode(data)
    except ToolError:
        assert encoding.wide
        return
    assert encoding.encode(text) == data


@given(st.text(min_size=1))
def test_plain_unicode_text_is_taken_for_utf8(text: str) -> None:
    if "\0" in text or text.startswith("\ufeff"):
        return
    encoding = detect_encoding(text.encode())
    assert encoding is not None
    assert encoding.name == "utf-8"
