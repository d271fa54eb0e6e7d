"""Files of a sandbox through its tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import Image
from agents.core.tools import ToolContext
from tests.tools.sandbox.conftest import Sandbox, Use, plan_in, text

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]


def names(turn: ToolContext) -> list[str]:
    return sorted(one.name for one in plan_in(turn).folder.iterdir())


def test_it_works(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    assert text(use(turn, "write", path="a/b.txt", content="one\ntwo\n")).startswith("Created a/b")
    assert "one" in text(use(turn, "read", path="a/b.txt"))
    edited = use(turn, "edit", path="a/b.txt", edits=[{"oldText": "two", "newText": "2"}])
    assert "Edited a/b.txt: 1 replacement." in text(edited)
    assert (plan_in(turn).folder / "a/b.txt").read_text() == "one\n2\n"
    assert text(use(turn, "exec", command="cat a/b.txt; pwd")) == "one\n2\n/workspace"


def test_pages_pictures_and_strange_content(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    folder = plan_in(turn).folder
    folder.mkdir(parents=True)
    (folder / "long").write_text("".join(f"line {n}\n" for n in range(1, 5001)))
    (folder / "wide").write_bytes("größer\n".encode("utf-16"))
    (folder / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 64)
    (folder / "zero").write_bytes(b"\0\1" * 999)
    (folder / "empty").touch()
    (folder / "文件 ‏שלום").write_text("named")
    page = use(turn, "read", path="long", offset=4_990)
    assert "line 5000" in text(page)
    assert page.details["totalLines"] == 5_000
    assert "Use offset=2001" in text(use(turn, "read", path="long"))
    assert "größer" in text(use(turn, "read", path="wide"))
    assert isinstance(use(turn, "read", path="x.png").content[1], Image)
    assert "The file is empty." in text(use(turn, "read", path="empty"))
    assert "named" in text(use(turn, "read", path="文件 ‏שלום"))
    with pytest.raises(ToolError, match="binary file"):
        use(turn, "read", path="zero")


def test_what_is_not_there(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "write", path="notes.md", content="x")
    for path, said in (
        ("note.md", r"Nearest names there: notes\.md"),
        (".", r"is a folder.*notes\.md"),
        ("a/b", "there is no 'a'"),
        ("notes.md/x", "is a file, not a folder"),
        ("", "is empty"),
        ("a\0b", "NUL"),
    ):
        with pytest.raises(ToolError, match=said):
            use(turn, "read", path=path)
    with pytest.raises(ToolError, match="ends with a slash"):
        use(turn, "write", path="new/", content="x")


def test_big_content_and_modes(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    content = "x" * 3_000_000
    use(turn, "write", path="big", content=content)
    place = plan_in(turn).folder / "big"
    assert place.stat().st_size == len(content)
    place.chmod(0o751)
    use(turn, "write", path="big", content="small")
    assert (place.read_text(), place.stat().st_mode & 0o777) == ("small", 0o751)
    place.chmod(0o444)
    with pytest.raises(ToolError, match="read-only"):
        use(turn, "write", path="big", content="no")
    assert names(turn) == ["big"]


def test_patches(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "write", path="a", content="one\ntwo\n")
    use(turn, "write", path="b", content="gone\n")
    patch = (
        "*** Begin Patch\n*** Add File: n/c\n+new\n*** Update File: a\n*** Move to: moved\n@@\n"
        "-two\n+2\n*** Delete File: b\n*** End Patch"
    )
    assert "A n/c" in text(use(turn, "apply_patch", input=patch))
    folder = plan_in(turn).folder
    assert (folder / "n/c").read_text() == "new\n"
    assert (folder / "moved").read_text() == "one\n2\n"
    assert names(turn) == ["moved", "n"]


def test_patches_are_whole_or_nothing(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "write", path="a", content="one\n")
    plan_in(turn).folder.joinpath("locked").write_text("x\n")
    plan_in(turn).folder.joinpath("locked").chmod(0o444)
    patch = (
        "*** Begin Patch\n*** Add File: c\n+new\n*** Update File: a\n@@\n-one\n+1\n"
        "*** Update File: locked\n@@\n-x\n+y\n*** End Patch"
    )
    with pytest.raises(ToolError, match="read-only"):
        use(turn, "apply_patch", input=patch)
    folder = plan_in(turn).folder
    assert (folder / "a").read_text() == "one\n"
    assert names(turn) == ["a", "locked"]


@pytest.mark.parametrize("access", ["none", "ro", "rw"])
def test_access(sandbox: Sandbox, use: Use, tmp_path: Path, access: str) -> None:
    """The table of docs/sandbox.md."""
    workspace = tmp_path / "ws"
    (workspace / "skills").mkdir()
    (workspace / "skills/s.md").write_text("skill")
    (workspace / "mine").write_text("agent's")
    turn = sandbox(workspaceAccess=access)
    use(turn, "write", path="new", content="x")
    assert (workspace / "new").exists() is (access == "rw")
    assert "x" in text(use(turn, "read", path="/workspace/new"))
    seen = {"none": None, "ro": "/agent/mine", "rw": "mine"}[access]
    if seen is None:
        with pytest.raises(ToolError, match="outside|not found"):
            use(turn, "read", path=str(workspace / "mine"))
        assert "No such" in text(use(turn, "exec", command="ls /agent/mine /workspace/mine"))
    else:
        assert "agent's" in text(use(turn, "read", path=seen))
        assert "agent's" in text(use(turn, "read", path=str(workspace / "mine")))
    if access == "ro":
        with pytest.raises(ToolError, match="may only read"):
            use(turn, "write", path="/agent/mine", content="no")
        use(turn, "exec", command="echo no > /agent/mine")
    assert (workspace / "mine").read_text() == "agent's"
    assert "skill" in text(use(turn, "read", path="skills/s.md"))
    for path in ("skills/s.md", "skills/new/x"):
        with pytest.raises(ToolError, match="may only read"):
            use(turn, "write", path=path, content="no")
    use(turn, "exec", command="rm -rf skills; echo no > skills/s.md; mv skills other")
    assert (workspace / "skills/s.md").read_text() == "skill"
