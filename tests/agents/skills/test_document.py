"""Reading a SKILL.md."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.skills.document import MAX_FILE_BYTES, SkillProblem, skill_read

HEAD = "---\nname: notes\ndescription: Keeps notes.\n---\n"


def test_it_works() -> None:
    found = skill_read((HEAD + "# Notes\nWrite them.\n").encode(), folder="notes")
    assert (found.name, found.description) == ("notes", "Keeps notes.")
    assert found.body == "# Notes\nWrite them."
    assert found.user_invocable
    assert found.model_invocable
    assert found.notes == ()


@pytest.mark.parametrize(
    ("data", "description", "note"),
    [
        (b"\xef\xbb\xbf" + HEAD.encode(), "Keeps notes.", ""),
        (HEAD.replace("\n", "\r\n").encode(), "Keeps notes.", ""),
        (HEAD.encode("utf-16"), "Keeps notes.", "UTF-16"),
        (HEAD.replace("Keeps", "Sch\u00f6ne").encode("latin-1"), "Sch\u00f6ne notes.", "1252"),
        (HEAD.replace("Keeps", "Use when: asked").encode(), "Use when: asked notes.", "line by"),
        (HEAD.replace("Keeps notes.", "'quoted: yes'").encode(), "quoted: yes", ""),
        (HEAD.replace("Keeps notes.", ">\n  Two\n  lines").encode(), "Two lines", ""),
        (HEAD.replace("name: notes", "name: notes\nlicense: MIT\nx: [1]").encode(), "Keeps", ""),
        (HEAD.replace("name: notes", "name: My Notes!").encode(), "Keeps", "used as 'my-notes'"),
        (HEAD.replace("notes\n", "other\n", 1).encode(), "Keeps", "differs from its folder"),
        (HEAD.replace("Keeps notes.", "x" * 2000).encode(), "xxx", "was cut"),
        (HEAD.replace("---\n", "---   \n").encode(), "Keeps notes.", ""),
        (HEAD.rstrip().encode(), "Keeps notes.", ""),
    ],
)
def test_odd_files_are_read(data: bytes, description: str, note: str) -> None:
    found = skill_read(data, folder="notes")
    assert found.description.startswith(description)
    assert note in " ".join(found.notes)
    assert bool(note) == bool(found.notes)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"# Just text\n", "must begin with"),
        (b"---\nname: x\n", "must begin with"),
        (b"---\ndescription: d\n---\n", "name is missing"),
        (b"---\nname: ''\ndescription: d\n---\n", "name is missing"),
        (b"---\nname: '!!'\ndescription: d\n---\n", "no letter or digit"),
        (b"---\nname: x\n---\n", "description is missing"),
        (b"---\n- a\n- b\n---\n", "lines of `key: value`"),
        (b"---\nname: x\0\ndescription: d\n---\n", "NUL"),
        (b"x" * (MAX_FILE_BYTES + 1), "at most 256 KB"),
    ],
)
def test_what_is_no_skill_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(SkillProblem, match=reason):
        skill_read(data)


@pytest.mark.parametrize(
    "metadata",
    [
        '{"openclaw": {"always": true}}',
        '\'{"openclaw": {"always": true}}\'',
        "{openclaw: {always: true}}",
        "\n  openclaw:\n    always: true",
        '"{openclaw: {always: true,}, /* why */}"',
        '{"clawdbot": {"always": true}}',
    ],
)
def test_metadata_in_every_dress(metadata: str) -> None:
    text = HEAD.replace("name: notes", f"name: notes\nmetadata: {metadata}")
    assert skill_read(text.encode()).metadata == {"always": True}


def test_metadata_that_is_nothing_is_noted() -> None:
    text = HEAD.replace("name: notes", "name: notes\nmetadata: 'no: {json'")
    found = skill_read(text.encode())
    assert found.metadata == {}
    assert "metadata is no JSON" in found.notes[0]


def test_how_it_may_be_called() -> None:
    more = "user-invocable: false\ndisable-model-invocation: true\ncommand-dispatch: tool\n"
    found = skill_read(HEAD.replace("name", f"{more}command-tool: read\nname", 1).encode())
    assert not found.user_invocable
    assert not found.model_invocable
    assert found.dispatch_tool == "read"
    lame = skill_read(HEAD.replace("name", f"{more}name", 1).encode())
    assert lame.dispatch_tool == ""
    assert "command-dispatch" in lame.notes[0]


@given(st.binary(max_size=400))
def test_no_bytes_crash_it(data: bytes) -> None:
    for candidate in (data, b"---\n" + data, b"---\nname: a\n" + data + b"\n---\n"):
        try:
            found = skill_read(candidate)
        except SkillProblem:
            continue
        assert found.name
        assert found.description
