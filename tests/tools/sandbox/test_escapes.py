"""Paths that try to leave what a sandbox may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.core.errors import ToolError
from tests.tools.sandbox.conftest import Sandbox, Use, plan_in, text

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]

# What the commands below put into the workspace.
_TRAPS = """
mkdir -p deep; echo mine > file
ln -s /etc etc; ln -s /etc/passwd passwd; ln -s ../../etc/passwd deep/up; ln -s /proc proc
ln -s . self; ln -s loop2 loop1; ln -s loop1 loop2; ln -s /workspace/file good
ln -s /workspace2 sibling; ln -s / root; ln -s file/x broken; mkfifo pipe; ln -s '' none
ln file hard; mkdir -- -n; echo dash > ./-n/-e; echo new > "line
end"
"""
_LEAVES = r"outside|leads to a place|not a folder|not found|symlinks"


def test_it_works(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "exec", command=_TRAPS)
    for path in ("file", "good", "self/self/file", "deep/../file", "/workspace//./file", "hard"):
        assert "mine" in text(use(turn, "read", path=path)), path
    assert "dash" in text(use(turn, "read", path="-n/-e"))
    assert "new" in text(use(turn, "read", path="line\nend"))


def test_reading(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "exec", command=_TRAPS)
    for path in (
        "etc/passwd", "passwd", "deep/up", "proc/1/environ", "loop1", "loop1/x", "sibling/x",
        "root/etc/passwd", "broken", "..", "../etc/passwd", "deep/../../etc/passwd", "/etc/passwd",
        "/", "/proc/self/environ", "/workspace/../etc/passwd", "/workspace2/file", "/bin/sh",
        "/workspace/../workspace/file", "self/../../bin/sh", "root/workspace/../etc", "/dev/zero",
        "~/../etc/passwd", "/agent/x", "/sys/kernel", "etc/../workspace/file",
    ):  # fmt: skip
        with pytest.raises(ToolError, match=_LEAVES):
            use(turn, "read", path=path)
    with pytest.raises(ToolError, match="device, pipe or socket"):
        use(turn, "read", path="pipe")


def test_writing(sandbox: Sandbox, use: Use, tmp_path: Path) -> None:
    turn = sandbox(docker={"readOnlyRoot": False})
    use(turn, "exec", command=_TRAPS)
    for path in (
        "etc/new", "passwd", "deep/up", "proc/new", "loop1", "sibling/x", "root/new", "../new",
        "/etc/new", "/new", "/workspace/../new", "/workspace2/new", "root/workspace2/new",
        "self/../../new", "/bin/new", "etc/../new",
    ):  # fmt: skip
        with pytest.raises(ToolError, match=_LEAVES):
            use(turn, "write", path=path, content="no")
    with pytest.raises(ToolError, match="device, pipe or socket"):
        use(turn, "write", path="pipe", content="no")
    said = text(use(turn, "exec", command="ls -d /new /etc/new /workspace2 /bin/new; ls /etc"))
    assert "new" not in said.replace("/new: No such", "").replace("/etc/new: No such", "").replace(
        "/bin/new: No such", ""
    )
    assert not (tmp_path / "new").exists()


def test_links_of_both_kinds_when_written(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "exec", command=_TRAPS)
    folder = plan_in(turn).folder
    use(turn, "write", path="hard", content="changed")
    assert (folder / "file").read_text() == "mine\n"
    use(turn, "write", path="good", content="through")
    assert (folder / "file").read_text() == "through"
    assert (folder / "good").is_symlink()


def test_links_on_the_machine_are_not_followed_there(
    sandbox: Sandbox, use: Use, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    turn = sandbox(workspaceAccess="rw")
    (tmp_path / "ws/link").symlink_to(secret)
    with pytest.raises(ToolError, match=_LEAVES):
        use(turn, "read", path="link")
    with pytest.raises(ToolError, match=_LEAVES):
        use(turn, "write", path="link", content="no")
    assert secret.read_text() == "secret"


def test_temporary_folders(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    use(turn, "exec", command="echo made > /tmp/x")
    assert "made" in text(use(turn, "read", path="/tmp/x"))
    assert "Created /tmp/y" in text(use(turn, "write", path="/tmp/y", content="z"))
    assert text(use(turn, "exec", command="cat /tmp/y")) == "z"
