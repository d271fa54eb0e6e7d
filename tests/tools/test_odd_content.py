"""Files that are not what they seem: shown clearly, and never damaged by a change beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.apply_patch import APPLY_PATCH
from tools.builtin.edit import EDIT
from tools.builtin.read import READ

TEXT = "first café\nsecond\nthird\n"
# What is in the file, and how a model sees that.
READABLE = {
    "UTF-8": (TEXT.encode(), "first café\nsecond\nthird"),
    "UTF-8 with a mark": (TEXT.encode("utf-8-sig"), "first café\nsecond\nthird"),
    "UTF-16 little": (TEXT.encode("utf-16"), "first café\nsecond\nthird"),
    "UTF-16 big": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "first café\nsecond\nthird"),
    "UTF-16 little without a mark": (TEXT.encode("utf-16-le"), "first café\nsecond\nthird"),
    "UTF-16 big without a mark": (TEXT.encode("utf-16-be"), "first café\nsecond\nthird"),
    "UTF-32": (TEXT.encode("utf-32"), "first café\nsecond\nthird"),
    "cp1252": (TEXT.encode("cp1252"), "first café\nsecond\nthird"),
    "cut UTF-8": (TEXT.encode() + "日本".encode()[:-1], "third\n日\ufffd"),
    "one bad byte": ("日本語\n".encode() + b"\xff second\n", "日本語\n\ufffd second"),
    "windows lines": (TEXT.replace("\n", "\r\n").encode(), "first café\nsecond\nthird"),
    "mixed lines": (b"first\r\nsecond\nthird\r\n", "first\nsecond\nthird"),
    "no end of line": (b"first\nsecond", "first\nsecond"),
    "only line ends": (b"\n\r\n second\n", " second"),
    "escapes": (b"first \x1b[31mred\x1b[0m\nsecond\n", "red"),
    "right to left": ("שלום second\n".encode(), "שלום second"),
}
BINARY = {
    "zeros": b"first\0\0\0second\0",
    "a program": b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 4,
    "a pdf cut short": b"%PDF-1.7\n" + bytes(range(128, 256)) + b"\0\1\2" * 90,
    "noise": bytes((number * 73 + 41) % 256 for number in range(4_000)),
}


@pytest.mark.parametrize("name", READABLE)
def test_it_works(call: Call, workspace: Path, name: str) -> None:
    """Read, and one word of it changed: all other bytes are as before."""
    data, shown = READABLE[name]
    path = workspace / "a.txt"
    path.write_bytes(data)
    assert shown in blocks_text(call(READ, path="a.txt").content)
    if b"second" not in data.replace(b"\0", b""):
        return
    call(EDIT, path="a.txt", edits=[{"oldText": "second", "newText": "SECOND"}])
    after = path.read_bytes()
    assert after != data
    assert after.lower() == data.lower()


@pytest.mark.parametrize("name", READABLE)
def test_a_change_that_does_not_fit_changes_nothing(call: Call, workspace: Path, name: str) -> None:
    data, _shown = READABLE[name]
    (workspace / "a.txt").write_bytes(data)
    with pytest.raises(ToolError):
        call(EDIT, path="a.txt", edits=[{"oldText": "none such", "newText": "x"}])
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-none such\n+x\n*** End Patch"
    with pytest.raises(ToolError):
        call(APPLY_PATCH, input=patch)
    assert (workspace / "a.txt").read_bytes() == data


@pytest.mark.parametrize("name", BINARY)
def test_binary_files_are_named_as_such(call: Call, workspace: Path, name: str) -> None:
    (workspace / "a.bin").write_bytes(BINARY[name])
    with pytest.raises(ToolError, match=r"a\.bin.* binary file"):
        call(READ, path="a.bin")
    with pytest.raises(ToolError):
        call(EDIT, path="a.bin", edits=[{"oldText": "first", "newText": "x"}])
    assert (workspace / "a.bin").read_bytes() == BINARY[name]


def test_an_empty_file(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").touch()
    assert "empty" in blocks_text(call(READ, path="a.txt").content)
    with pytest.raises(ToolError):
        call(EDIT, path="a.txt", edits=[{"oldText": "x", "newText": "y"}])


def test_one_line_of_a_megabyte(call: Call, workspace: Path) -> None:
    """Its start is shown with a hint; a change in its middle keeps the rest."""
    line = b"x" * 500_000 + b"needle" + b"y" * 500_000
    (workspace / "a.txt").write_bytes(line)
    shown = blocks_text(call(READ, path="a.txt").content)
    assert len(shown) < 60_000
    assert "1,000,006 bytes" in shown
    call(EDIT, path="a.txt", edits=[{"oldText": "needle", "newText": "NEEDLE"}])
    assert (workspace / "a.txt").read_bytes() == line.replace(b"needle", b"NEEDLE")
