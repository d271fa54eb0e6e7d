"""Which files a command would run, and that another content is another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.exec_security.scripts import MOST_SCRIPTS, scripts_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A script, an executable, a text, and a link that leads out."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "build.sh").write_text("echo 1")
    (folder / "tool").write_text("echo 2")
    (folder / "tool").chmod(0o755)
    (folder / "notes.txt").write_text("text")
    (tmp_path / "out.sh").write_text("echo 3")
    (folder / "out.sh").symlink_to(tmp_path / "out.sh")
    return folder


def named(text: str, workspace: Path) -> set[str]:
    """The names of what was found."""
    found = scripts_of(text, folder=workspace, workspace=workspace)
    return {Path(path).name for path in found}


def test_it_works(workspace: Path) -> None:
    assert named("sh build.sh", workspace) == {"build.sh"}
    before = scripts_of("sh build.sh", folder=workspace, workspace=workspace)
    (workspace / "build.sh").write_text("id")
    assert scripts_of("sh build.sh", folder=workspace, workspace=workspace) != before


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("./tool -x", {"tool"}),
        ("sh -c './tool; sh build.sh'", {"tool", "build.sh"}),
        ("A=1 bash <build.sh|./tool", {"tool", "build.sh"}),
        ("cat notes.txt", set()),
        ("sh out.sh", set()),
        ("sh missing.sh " + "x" * 5000, set()),
        ("", set()),
    ],
)
def test_what_counts(workspace: Path, text: str, names: set[str]) -> None:
    assert named(text, workspace) == names


def test_not_without_end(workspace: Path) -> None:
    for number in range(MOST_SCRIPTS + 5):
        (workspace / f"{number}.sh").write_text("")
    text = " ".join(f"{number}.sh" for number in range(MOST_SCRIPTS + 5))
    assert len(named(text, workspace)) == MOST_SCRIPTS
