"""The tool read: pages of text, pictures, and clear words for everything else."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import Image, blocks_text
from tests.tools.conftest import Call
from tools.builtin.read import READ

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def text(call: Call, **arguments: object) -> str:
    return blocks_text(call(READ, **arguments).content)


def refusal(call: Call, **arguments: object) -> str:
    with pytest.raises(ToolError) as caught:
        call(READ, **arguments)
    return caught.value.message


def test_it_works(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\ntwo\n")
    result = call(READ, path="a.txt")
    assert blocks_text(result.content) == "one\ntwo"
    assert not result.is_error
    assert result.details["totalLines"] == 2
    assert result.details["nextOffset"] is None


def test_pages_lead_to_the_next_one_and_miss_nothing(call: Call, workspace: Path) -> None:
    lines = [f"line {number}" for number in range(1, 4_501)]
    (workspace / "a.txt").write_text("\n".join(lines))
    seen: list[str] = []
    offset: int | None = 1
    while offset is not None:
        result = call(READ, path="a.txt", offset=offset)
        page = blocks_text(result.content).split("\n\n[")[0].split("\n")
        assert len(page) <= 2_000
        seen += page
        offset = result.details["nextOffset"]
    assert seen == lines


def test_the_trailer_says_how_to_go_on(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_text("1\n2\n3\n4\n5\n")
    shown = text(call, path="a.txt", offset=2, limit=2)
    assert shown == "2\n3\n\n[Lines 2-3 of 5. Use offset=4 to continue.]"


def test_a_page_ends_at_fifty_kilobytes(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_text(("x" * 99 + "\n") * 1_500)
    result = call(READ, path="a.txt")
    assert result.details["lastLine"] == 512
    assert result.details["nextOffset"] == 513
    assert call(READ, path="a.txt", offset=513).details["lastLine"] == 1_024


def test_a_line_longer_than_a_page_gets_a_hint(call: Call, workspace: Path) -> None:
    (workspace / "a b.txt").write_text("short\n" + "x" * 1_000_000 + "\nafter\n")
    assert "offset=2" in text(call, path="a b.txt")
    result = call(READ, path="a b.txt", offset=2)
    shown = blocks_text(result.content)
    assert len(shown) < 3_000
    assert "1,000,000 bytes" in shown
    assert "sed -n '2p' 'a b.txt'" in shown
    assert result.details["nextOffset"] == 3
    assert text(call, path="a b.txt", offset=3) == "after"


def test_an_offset_beyond_the_end_is_an_error(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\ntwo")
    assert "2 lines" in refusal(call, path="a.txt", offset=3)
    assert "2 lines" in refusal(call, path="a.txt", offset=100)


@pytest.mark.parametrize("name", ["offset", "limit"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "x", True, float("inf")])
def test_bad_numbers_are_named(call: Call, workspace: Path, name: str, value: object) -> None:
    (workspace / "a.txt").write_text("one")
    assert refusal(call, path="a.txt", **{name: value}).startswith(f"{name}: ")


def test_an_empty_file_says_so(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").touch()
    assert text(call, path="a.txt") == "[The file is empty.]"


def test_line_ends_of_windows_are_not_shown(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    assert text(call, path="a.txt") == "one\ntwo"


def test_aliases_of_path_are_understood(call: Call, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one")
    assert text(call, file_path="a.txt") == "one"
    assert READ.prepare({"file_path": "a.txt"}) == {"path": "a.txt"}


def test_a_missing_file_gets_the_nearest_names(call: Call, workspace: Path) -> None:
    (workspace / "notes").mkdir()
    (workspace / "notes" / "README.md").touch()
    assert "README.md" in refusal(call, path="notes/readme.txt")
    assert "notes/" in refusal(call, path="note/README.md")


def test_a_missing_path_is_named(call: Call) -> None:
    assert refusal(call) == "path: expected text, but it is missing."


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", PNG, "image/png"),
        ("wrong-name.txt", PNG, "image/png"),
        ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        ("a.gif", b"GIF89a\x01\0\x01\0", "image/gif"),
        ("a.webp", b"RIFF\x1a\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_pictures_come_as_pictures(
    call: Call, workspace: Path, name: str, data: bytes, kind: str
) -> None:
    (workspace / name).write_bytes(data)
    words, picture = call(READ, path=name).content
    assert picture == Image(base64.b64encode(data).decode(), kind)
    assert name in blocks_text([words])


def test_a_picture_that_is_too_large_is_refused(call: Call, workspace: Path) -> None:
    with (workspace / "a.png").open("wb") as file:
        file.write(PNG)
        file.truncate(5 * 1024 * 1024 + 1)
    assert "5,242,880" in refusal(call, path="a.png")


@pytest.mark.parametrize("data", [b"%PDF-1.7\n\0\1\2\xff", b"\x7fELF\2\1\1\0", b"a\0b\0\0\0c"])
def test_binary_files_are_named_as_such(call: Call, workspace: Path, data: bytes) -> None:
    (workspace / "a.bin").write_bytes(data)
    assert "binary" in refusal(call, path="a.bin")
