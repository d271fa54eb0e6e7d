"""Installing a skill: what was reviewed, and nothing else."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agents.core.errors import Conflict, NotFound, UserError
from agents.skills.install import skill_changed, skill_install, skill_remove
from agents.skills.package import MAX_FILES, package_read
from tests.agents.skills.test_sources import skill


def zipped(path: Path, files: dict[str, str]) -> Path:
    """A zip file of texts."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


HEAD = "---\nname: notes\ndescription: d\n---\n"


def test_it_works(tmp_path: Path) -> None:
    source = skill(tmp_path, "notes")
    (source / "scripts").mkdir()
    (source / "scripts" / "run.sh").write_text("echo hello\n")
    (source / "scripts" / "run.sh").chmod(0o755)
    package = package_read(str(source))
    folder = skill_install(package=package, digest=package.digest, target=tmp_path / "to")
    assert folder == tmp_path / "to" / "notes"
    assert (folder / "scripts" / "run.sh").read_text() == "echo hello\n"
    assert not (folder / "scripts" / "run.sh").stat().st_mode & stat.S_IXUSR
    assert skill_changed(folder) is False
    (folder / "scripts" / "run.sh").write_text("echo other\n")
    assert skill_changed(folder) is True
    assert skill_changed(source) is None
    skill_remove(name="notes", target=tmp_path / "to")
    assert list((tmp_path / "to").iterdir()) == []


def test_a_change_after_the_review_is_refused(tmp_path: Path) -> None:
    source = skill(tmp_path, "notes")
    reviewed = package_read(str(source)).digest
    (source / "more.md").write_text("curl example.com into sh")
    with pytest.raises(Conflict, match="has changed since it was reviewed"):
        skill_install(package=package_read(str(source)), digest=reviewed, target=tmp_path / "to")
    assert not (tmp_path / "to").exists()


def test_replacing_is_asked_for(tmp_path: Path) -> None:
    source = skill(tmp_path, "notes")
    package = package_read(str(source))
    place = tmp_path / "to"
    skill_install(package=package, digest=package.digest, target=place)
    with pytest.raises(Conflict, match="is installed already"):
        skill_install(package=package, digest=package.digest, target=place)
    (source / "more.md").write_text("x")
    newer = package_read(str(source))
    folder = skill_install(package=newer, digest=newer.digest, target=place, replace=True)
    assert (folder / "more.md").exists()
    assert [one.name for one in place.iterdir()] == ["notes"]


def test_what_was_made_by_hand_is_not_removed(tmp_path: Path) -> None:
    skill(tmp_path, "notes")
    with pytest.raises(UserError, match="made by hand"):
        skill_remove(name="notes", target=tmp_path)
    for name in ("other", "../notes", ".", ""):
        with pytest.raises((NotFound, UserError)):
            skill_remove(name=name, target=tmp_path)
    assert (tmp_path / "notes").exists()


def test_zip_files(tmp_path: Path) -> None:
    flat = zipped(tmp_path / "a.zip", {"SKILL.md": HEAD, "x/y.md": "y"})
    deep = zipped(tmp_path / "b.zip", {"repo-1/SKILL.md": HEAD, "repo-1/x/y.md": "y"})
    assert list(package_read(str(flat)).files) == ["SKILL.md", "x/y.md"]
    assert package_read(str(deep)).digest == package_read(str(flat)).digest
    many = zipped(tmp_path / "c.zip", {"r/one/SKILL.md": HEAD, "r/two/SKILL.md": HEAD})
    assert list(package_read(f"{many}#r/two").files) == ["SKILL.md"]


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "a\\..\\x", "C:/x"])
def test_a_zip_does_not_lead_out(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {"SKILL.md": HEAD, name: "x"})
    with pytest.raises(UserError, match="leads out"):
        package_read(str(path))


def test_what_cannot_be_installed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"no SKILL\.md"):
        package_read(str(tmp_path / "empty"))
    with pytest.raises(UserError, match="no folder, no zip file"):
        package_read(str(tmp_path / "nothing"))
    linked = skill(tmp_path, "linked")
    (linked / "secrets").symlink_to("/etc")
    with pytest.raises(UserError, match="is a link"):
        package_read(str(linked))
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("nothing")
    with pytest.raises(UserError, match="must begin with"):
        package_read(str(broken))
    crowded = skill(tmp_path, "crowded")
    for number in range(MAX_FILES):
        (crowded / f"{number}.md").write_text("")
    with pytest.raises(UserError, match=f"at most {MAX_FILES} files"):
        package_read(str(crowded))


@pytest.mark.skipif(
    shutil.which("git") is None and not os.environ.get("CI"), reason="git is not installed"
)
def test_a_git_repository(tmp_path: Path) -> None:
    repository = tmp_path / "repo.git"
    skill(repository / "skills", "notes")
    hook = repository / ".git" / "hooks" / "post-checkout"
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    package = package_read(f"file://{repository}#skills/notes")
    assert list(package.files) == ["SKILL.md"]
    assert len(package.commit) == 40
    with pytest.raises(UserError, match="leads out"):
        package_read(f"file://{repository}#../..")
    with pytest.raises(UserError, match="git failed"):
        package_read(f"file://{tmp_path}/missing.git")


@pytest.mark.django_db
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    source = skill(tmp_path, "hidden")
    (source / "more.md").write_text("an\u202eodd line")
    out = StringIO()
    call_command("skills", "review", str(source), stdout=out)
    shown = out.getvalue()
    assert "--- more.md" in shown
    assert "an\\u202eodd line" in shown
    with pytest.raises(CommandError, match="has changed"):
        call_command("skills", "install", str(source), "--hash", "0" * 64)
    listed = StringIO()
    call_command("skills", "list", stdout=listed)
    assert "tidy-notes" in listed.getvalue()
