"""The tool apply_patch: makes, deletes, updates and moves files by one patch."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.apply_patch import APPLY_PATCH


def patch(call: Call, *lines: str) -> str:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    return blocks_text(call(APPLY_PATCH, input=text).content)


def refusal(call: Call, *lines: str) -> str:
    with pytest.raises(ToolError) as caught:
        patch(call, *lines)
    return caught.value.message


def test_it_works(call: Call, workspace: Path) -> None:
    (workspace / "a.py").write_text("def f():\n    return 1\n\n\ndef g():\n    return 1\n")
    (workspace / "old.txt").write_text("gone\n")
    (workspace / "moved.txt").write_text("one\ntwo\n")
    text = """*** Begin Patch
*** Add File: new/n.txt
+first
+
*** Update File: a.py
@@ def g():
-    return 1
+    return 2
*** Update File: moved.txt
*** Move to: there/moved.txt
@@
 one
-two
+three
*** Delete File: old.txt
*** End Patch
"""
    result = call(APPLY_PATCH, input=text)
    assert blocks_text(result.content).split("\n") == [
        "The patch was applied:",
        "A new/n.txt",
        "M a.py",
        "D moved.txt",
        "A there/moved.txt",
        "D old.txt",
    ]
    assert result.details["summary"] == {
        "added": ["new/n.txt", "there/moved.txt"],
        "modified": ["a.py"],
        "deleted": ["moved.txt", "old.txt"],
    }
    assert "+    return 2" in result.details["diff"]
    assert (workspace / "new/n.txt").read_text() == "first\n\n"
    assert (workspace / "a.py").read_text() == (
        "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    )
    assert (workspace / "there/moved.txt").read_text() == "one\nthree\n"
    assert sorted(path.name for path in workspace.iterdir()) == ["a.py", "new", "there"]
    assert [path.name for path in (workspace / "there").iterdir()] == ["moved.txt"]


def test_an_alias_of_the_argument_is_understood(call: Call, workspace: Path) -> None:
    text = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
    call(APPLY_PATCH, patch=text)
    assert (workspace / "a").read_text() == "x\n"


def test_several_hunks_apply_from_top_to_bottom(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("x\n1\nx\n1\nx\n1\n")
    patch(call, "*** Update File: a", "@@", " x", "-1", "+2", "@@", " x", "-1", "+3")
    assert (workspace / "a").read_text() == "x\n2\nx\n3\nx\n1\n"


def test_contexts_lead_to_the_place(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("class A\n f\n  1\nclass B\n f\n  1\n")
    patch(call, "*** Update File: a", "@@ class B", "@@  f", "-  1", "+  2")
    assert (workspace / "a").read_text() == "class A\n f\n  1\nclass B\n f\n  2\n"


def test_the_end_of_the_file_is_preferred_when_named(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("x\ny\nx\n")
    patch(call, "*** Update File: a", "@@", "-x", "+z", "*** End of File")
    assert (workspace / "a").read_text() == "x\ny\nz\n"


def test_lines_are_only_added(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("one\ntwo")
    patch(call, "*** Update File: a", "@@ one", "+and", "@@", "+three")
    assert (workspace / "a").read_text() == "one\nand\ntwo\nthree"


@pytest.mark.parametrize(
    ("old", "line"),
    [("a  \n", "a"), ("  a\n", "a"), ("say \u201chi\u201d\n", 'say "hi"'), ("\uff46\n", "f")],
)
def test_small_differences_are_overlooked(call: Call, workspace: Path, old: str, line: str) -> None:
    (workspace / "a").write_text(old + "end\n")
    shown = patch(call, "*** Update File: a", f" {line}", "-end", "+END")
    assert (workspace / "a").read_text() == old + "END\n"
    assert "matched only after" in shown


def test_an_exact_match_further_down_wins_over_a_loose_one(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("x \nx\n")
    patch(call, "*** Update File: a", "@@", "-x", "+y")
    assert (workspace / "a").read_text() == "x \ny\n"


def test_a_place_that_is_not_the_only_one_is_named(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("x\nx\n")
    shown = patch(call, "*** Update File: a", "@@", "-x", "+y")
    assert "a: the lines of hunk 1 stand there more than once; line 1 was taken." in shown


def test_wrapping_and_line_numbers_are_taken_off(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("x\ny\n")
    text = (
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
        "\n*** End Patch\nEOF\n"
    )
    call(APPLY_PATCH, input=text)
    assert (workspace / "a").read_text() == "x\nz\n"


def test_two_sections_may_be_about_one_file(call: Call, workspace: Path) -> None:
    patch(call, "*** Add File: a", "+x", "*** Update File: ./a", "-x", "+y")
    assert (workspace / "a").read_text() == "y\n"
    patch(call, "*** Delete File: a", "*** Add File: a", "+z")
    assert (workspace / "a").read_text() == "z\n"


def test_swapped_names(call: Call, workspace: Path) -> None:
    (workspace / "a").write_text("a\n")
    (workspace / "b").write_text("b\n")
    patch(
        call,
        *("*** Update File: a", "*** Move to: c", "*** Update File: b", "*** Move to: a"),
        *("*** Update File: c", "*** Move to: b"),
    )
    assert (workspace / "a").read_text() == "b\n"
    assert (workspace / "b").read_text() == "a\n"
    assert not (workspace / "c").exists()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "input: the patch is empty"),
        (["hello"], "input line 2: expected '*** Add File: path'"),
        (["*** Add File:"], "input line 2: a path is missing"),
        (["*** Add File: n", "+a", "b"], "input line 4: every line of a new file"),
        (["*** Update File: a"], "input line 2: the update of 'a' changes nothing"),
        (["*** Update File: a", "@@"], "input line 3: hunk 1 of 'a' has no lines"),
        (["*** Update File: a", "@@", " x", "?"], "input line 5: in hunk 1 of 'a' a line must"),
        (["*** Update File: a", "@@", "-no", "+y"], "input line 3: the lines of hunk 1 were not"),
        (["*** Update File: a", "@@ no", "+y"], "input line 3: the context of hunk 1 was not"),
        (["*** Update File: none", "-x", "+y"], "input line 2: path: 'none' not found"),
        (["*** Delete File: none"], "input line 2: path: 'none' not found"),
        (["*** Delete File: a", "*** Delete File: a"], "input line 3: path: 'a' was deleted"),
        (["*** Add File: a", "+y"], "input line 2: path: 'a' is there already"),
        (["*** Update File: a", "*** Move to: b"], "input line 2: path: 'b' is there already"),
        (["*** Add File: folder", "+y"], "input line 2: path: 'folder' is a folder"),
        (["*** Update File: image", "-x", "+y"], "input line 2: path: 'image' is a binary file"),
    ],
)
def test_bad_patches_are_refused(call: Call, workspace: Path, lines: list[str], said: str) -> None:
    (workspace / "a").write_text("x\n")
    (workspace / "b").write_text("x\n")
    (workspace / "folder").mkdir()
    (workspace / "image").write_bytes(b"\x89PNG\0\0\1\2")
    assert refusal(call, *lines).startswith(said)
    assert (workspace / "a").read_text() == "x\n"
    assert sorted(path.name for path in workspace.iterdir()) == ["a", "b", "folder", "image"]


@pytest.mark.parametrize("text", ["", "hello", "*** Begin Patch\n*** Add File: a\n+x"])
def test_the_envelope_is_asked_for(call: Call, text: str) -> None:
    with pytest.raises(ToolError, match=r"^input: the (first|last) line must be"):
        call(APPLY_PATCH, input=text)
