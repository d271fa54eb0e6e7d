"""The tool edit: exact where it can be, forgiving where it must, and all or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.core.argument_check import check_arguments
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.edit import EDIT
from tools.workspace.files import rewrite_file


@pytest.fixture
def path(workspace: Path) -> Path:
    path = workspace / "a.txt"
    path.write_text("one\ntwo\nthree\nfour\n")
    return path


def edit(call: Call, *pairs: tuple[str, str]) -> str:
    edits = [{"oldText": old, "newText": new} for old, new in pairs]
    return blocks_text(call(EDIT, path="a.txt", edits=edits).content)


def refusal(call: Call, *pairs: tuple[str, str]) -> str:
    with pytest.raises(ToolError) as caught:
        edit(call, *pairs)
    return caught.value.message


def test_it_works(call: Call, path: Path) -> None:
    said = edit(call, ("three", "3"), ("one\n", "0\n1\n"))
    assert path.read_text() == "0\n1\ntwo\n3\nfour\n"
    assert said == "Edited a.txt: 2 replacements."


def test_details_show_the_difference(call: Call, path: Path) -> None:
    path.write_text("".join(f"{number}\n" for number in range(1, 101)))
    result = call(EDIT, path="a.txt", edits=[{"oldText": "50\n51", "newText": "fifty\n51"}])
    assert result.details["firstChangedLine"] == 50
    diff = result.details["diff"].split("\n")
    assert diff[:3] == ["--- a/a.txt", "+++ b/a.txt", "@@ -47,7 +47,7 @@"]
    assert diff[3:] == [" 47", " 48", " 49", "-50", "+fifty", " 51", " 52", " 53"]


def test_all_edits_see_the_original(call: Call, path: Path) -> None:
    edit(call, ("one", "two and two"), ("three", "one"))
    assert path.read_text() == "two and two\ntwo\none\nfour\n"


def test_text_that_is_not_there_is_an_error(call: Call, path: Path) -> None:
    assert "edits[1].oldText" in refusal(call, ("one", "1"), ("five", "5"))
    assert "0 matches" in refusal(call, ("five", "5"))
    assert "newText already stands in line 2" in refusal(call, ("TWO", "two"))
    assert "first line stands in line 3" in refusal(call, ("three\nsix", "x"))
    assert path.read_text() == "one\ntwo\nthree\nfour\n"


def test_text_that_is_there_more_than_once_is_an_error(call: Call, path: Path) -> None:
    path.write_text("x = 1\ny = 2\nx = 1\n")
    assert "2 times (lines 1, 3)" in refusal(call, ("x = 1", "x = 3"))
    path.write_text("aaa")
    assert "2 times" in refusal(call, ("aa", "b"))


def test_edits_must_not_overlap(call: Call, path: Path) -> None:
    assert "edits[0] and edits[1] overlap" in refusal(call, ("two\nthree", "x"), ("one\ntwo", "y"))
    edit(call, ("two\n", "2\n"), ("one\n", "1\n"))
    assert path.read_text() == "1\n2\nthree\nfour\n"


def test_an_edit_without_effect_is_an_error(call: Call, path: Path) -> None:
    assert "nothing would change" in refusal(call, ("one", "one"))


def test_empty_old_text_is_an_error(call: Call, path: Path) -> None:
    assert refusal(call, ("", "x")).startswith("edits[0].oldText: is empty")


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a.txt", "oldText": "one", "newText": "1"},
        {"file_path": "a.txt", "old_string": "one", "new_string": "1"},
        {"path": "a.txt", "old_text": "one", "new_text": "1"},
        {"path": "a.txt", "edits": json.dumps([{"oldText": "one", "newText": "1"}])},
        {"path": "a.txt", "edits": {"oldText": "one", "newText": "1"}},
        {"path": "a.txt", "edits": [{"old_string": "one", "new_string": "1"}]},
    ],
)
def test_other_spellings_are_understood(
    call: Call, path: Path, arguments: dict[str, object]
) -> None:
    call(EDIT, **arguments)
    assert path.read_text().startswith("1\n")
    prepared = EDIT.prepare(arguments)
    assert check_arguments("edit", EDIT.parameters, prepared) is prepared


@pytest.mark.parametrize(
    "edits",
    [None, [], "not json", "[]", 5, ["x"], [{"oldText": "one"}], [{"oldText": 1, "newText": "x"}]],
)
def test_malformed_edits_are_named(call: Call, path: Path, edits: object) -> None:
    with pytest.raises(ToolError, match=r"^edits"):
        call(EDIT, path="a.txt", edits=edits)


@pytest.mark.parametrize(
    ("content", "old", "expected"),
    [
        ("say \u201chello\u201d now", 'say "hello"', "NEW now"),
        ("it\u2019s a test", "it's a", "NEW test"),
        ("a \u2013 b \u2014 c", "a - b - c", "NEW"),
        ("a\u00a0b\u3000c", "a b c", "NEW"),
        ("one   \ntwo\t\nthree", "one\ntwo", "NEW\t\nthree"),
        ("one\ntwo", "one  \ntwo ", "NEW"),
        ("\uff28\uff45\uff4c\uff4c\uff4f!", "Hello", "NEW!"),
        ("cafe\u0301 noir", "caf\u00e9", "NEW noir"),
        ("\u201ckept\u201d\n\u201cgone\u201d\n\u201ckept\u201d  \n", '"gone"', None),
    ],
)
def test_small_differences_are_evened_out(
    call: Call, path: Path, content: str, old: str, expected: str | None
) -> None:
    path.write_text(content)
    said = edit(call, (old, "NEW"))
    if expected is None:
        expected = content.replace("\u201cgone\u201d", "NEW")
    assert path.read_text() == expected
    assert "edits[0] matched only after" in said


def test_an_exact_match_comes_before_a_similar_one(call: Call, path: Path) -> None:
    path.write_text('\u201ca\u201d and "a"')
    edit(call, ('"a"', "b"))
    assert path.read_text() == "\u201ca\u201d and b"


def test_similar_text_in_two_places_is_an_error(call: Call, path: Path) -> None:
    path.write_text("\u201ca\u201d\n\u201ea\u201f\n")
    assert "2 times (lines 1, 2)" in refusal(call, ('"a"', "b"))


def test_part_of_a_character_is_no_match(call: Call, path: Path) -> None:
    path.write_text("o\ufb03ce")
    assert "0 matches" in refusal(call, ("off", "x"))
    edit(call, ("office", "bureau"))
    assert path.read_text() == "bureau"


def test_line_ends_follow_the_file(call: Call, path: Path) -> None:
    path.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    edit(call, ("one\ntwo", "1\n2\n2b"))
    assert path.read_bytes() == b"1\r\n2\r\n2b\r\nthree\r\n"


def test_mixed_line_ends_stay_where_they_are(call: Call, path: Path) -> None:
    path.write_bytes(b"a\r\nb\nc\r\nd\ne\r\n")
    edit(call, ("b\nc\nd", "B\nC\nD"))
    assert path.read_bytes() == b"a\r\nB\r\nC\r\nD\ne\r\n"


def test_the_mode_is_kept_and_binary_files_are_refused(call: Call, path: Path) -> None:
    path.chmod(0o700)
    edit(call, ("one", "1"))
    assert path.stat().st_mode & 0o777 == 0o700
    path.write_bytes(b"one\0two")
    assert "binary" in refusal(call, ("one", "1"))


def test_the_work_of_another_writer_is_kept(path: Path) -> None:
    seen: list[bytes] = []

    def change(data: bytes) -> bytes:
        if not seen:
            path.write_bytes(b"by somebody else")
        seen.append(data)
        return data + b" and by me"

    rewrite_file(path.parent, "a.txt", change, most_bytes=1_000)
    assert seen == [b"one\ntwo\nthree\nfour\n", b"by somebody else"]
    assert path.read_bytes() == b"by somebody else and by me"


def test_a_file_that_never_rests_is_left_alone(path: Path) -> None:
    def change(data: bytes) -> bytes:
        path.write_bytes(data + b"more")
        return b"mine"

    with pytest.raises(ToolError, match="somebody else"):
        rewrite_file(path.parent, "a.txt", change, most_bytes=1_000)
    assert path.read_bytes().endswith(b"moremoremore")


def test_a_huge_file_is_refused(call: Call, path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    assert "larger than 16,777,216 bytes" in refusal(call, ("one", "1"))


def test_lone_surrogates_are_never_written(call: Call, path: Path) -> None:
    edit(call, ("one", "\ud83d\ude00 \ud83d"))
    assert path.read_text() == "😀 \ufffd\ntwo\nthree\nfour\n"
