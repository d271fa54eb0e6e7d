"""Finding skills in folders."""

from __future__ import annotations

import os
from pathlib import Path

from agents.skills.sources import Root, skills_found


def skill(folder: Path, name: str, text: str = "Keeps notes.") -> Path:
    """A folder with a SKILL.md."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {text}\n---\nDo it.\n")
    return place


def names(root: Path, **limits: int) -> dict[str, str]:
    """Name → problem of what is found."""
    return {one.name: one.problem for one in skills_found(Root("test", root, **limits))}


def test_it_works(tmp_path: Path) -> None:
    skill(tmp_path, "b")
    skill(tmp_path, "a")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    assert [one.name for one in skills_found(Root("test", tmp_path))] == ["a", "b"]
    assert names(tmp_path / "missing") == {}


def test_a_change_is_seen(tmp_path: Path) -> None:
    place = skill(tmp_path, "a")
    assert names(tmp_path) == {"a": ""}
    (place / "SKILL.md").write_text("nothing in it")
    assert "must begin with" in names(tmp_path)["a"]


def test_groups_and_whole_repositories(tmp_path: Path) -> None:
    skill(tmp_path / "one" / "group", "inner")
    assert names(tmp_path / "one") == {"inner": ""}
    skill(tmp_path / "repository" / "skills", "deep")
    assert names(tmp_path / "repository") == {"deep": ""}


def test_links_that_lead_out_are_listed_with_the_reason(tmp_path: Path) -> None:
    root = tmp_path / "root"
    outside = skill(tmp_path, "outside")
    inside = skill(root, "inside")
    (root / "folder").symlink_to(outside)
    (root / "file").mkdir()
    (root / "file" / "SKILL.md").symlink_to(outside / "SKILL.md")
    (root / "same").symlink_to(inside)
    (root / "loop").mkdir()
    (root / "loop" / "SKILL.md").symlink_to(root / "loop" / "SKILL.md")
    found = {one.folder.name: one.problem for one in skills_found(Root("test", root))}
    assert "leads out" in found["folder"]
    assert "leads out" in found["file"]
    assert found["inside"] == found["same"] == ""
    assert "cannot be read" in found["loop"]


def test_a_pipe_does_not_hold_it_up(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    assert "no ordinary file" in names(tmp_path)["pipe"]


def test_a_root_may_itself_be_a_link(tmp_path: Path) -> None:
    skill(tmp_path / "real", "a")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert names(tmp_path / "link") == {"a": ""}


def test_limits_are_told(tmp_path: Path) -> None:
    for number in range(6):
        skill(tmp_path, f"s{number}")
    few = names(tmp_path, max_candidates=4)
    assert list(few.values())[:4] == ["", "", "", ""]
    assert "first 4 folders" in few["s4"]
    loaded = names(tmp_path, max_loaded=2)
    assert [not problem for problem in loaded.values()] == [True, True, False, False, False, False]
