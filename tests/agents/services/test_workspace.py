"""Where agents work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings

from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.selectors import agent_snapshot
from agents.workspace import (
    BOOTSTRAP,
    FOLDERS,
    TEMPLATES,
    workspace_ensure,
    workspace_problem,
)


def folder(document: str, slug: str) -> str:
    config_apply(text=document)
    return str(agent_snapshot(slug=slug).workspace)


@pytest.mark.django_db
def test_it_works() -> None:
    home = settings.OPENCLAW.home
    text = "{agents: {list: [{id: 'main'}, {id: 'ops'}]}}"
    assert folder(text, "main") == f"{home}/workspace"
    assert folder(text, "ops") == f"{home}/workspace-ops"


@pytest.mark.django_db
def test_the_defaults_are_the_main_agents() -> None:
    text = "{agents: {defaults: {workspace: '/srv/w/'}, list: [{id: 'main'}, {id: 'ops'}]}}"
    assert (folder(text, "main"), folder(text, "ops")) == ("/srv/w", "/srv/w-ops")
    text = "{agents: {defaults: {workspace: '/srv/w'}, list: [{id: 'one'}, {id: 'ops'}]}}"
    assert (folder(text, "one"), folder(text, "ops")) == ("/srv/w", "/srv/w-ops")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("~/w", "{user}/w"),
        ("~/~/w", "{user}/~/w"),
        ("/a/../b/./c", "/b/c"),
        ("sub/folder", "{home}/sub/folder"),
    ],
)
def test_ways_to_write_it(given: str, path: str) -> None:
    expected = path.format(user=Path.home(), home=settings.OPENCLAW.home)
    text = f"{{agents: {{list: [{{id: 'main', workspace: '{given}'}}]}}}}"
    assert folder(text, "main") == expected


def test_making_it(tmp_path: Path) -> None:
    path = workspace_ensure(tmp_path / "a" / "b")
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / "AGENTS.md").read_text(encoding="utf-8").startswith("# ")
    (path / "AGENTS.md").unlink()
    workspace_ensure(path)
    assert not (path / "AGENTS.md").exists()


def test_a_folder_that_was_there_is_left_alone(tmp_path: Path) -> None:
    workspace_ensure(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="cannot be made"):
            workspace_ensure(path)


def test_secrets_stay_out_of_reach(tmp_path: Path) -> None:
    home = settings.OPENCLAW.home
    link = tmp_path / "link"
    link.symlink_to(home.parent)
    for text in ("/", "..", str(home), str(home.parent), f"{home}/x/..", str(link)):
        assert "contains the gateway's own secrets" in workspace_problem(text), text
    assert workspace_problem(f"{home}/workspace") == ""
    (tmp_path / "file").touch()
    assert "is a file" in workspace_problem(f"{tmp_path}/file")
    assert workspace_problem(f"~{os.urandom(6).hex()}/w") == "is not the name of a folder"


def test_what_a_new_one_begins_with(tmp_path: Path) -> None:
    path = workspace_ensure(tmp_path / "new")
    assert {one.name for one in path.iterdir()} == {*TEMPLATES, *FOLDERS}
    bare = workspace_ensure(tmp_path / "bare", files=False)
    assert list(bare.iterdir()) == []


def test_the_first_conversation_ends(tmp_path: Path) -> None:
    path = workspace_ensure(tmp_path / "new")
    workspace_ensure(path)
    assert (path / BOOTSTRAP).exists()
    (path / BOOTSTRAP).write_text(" \n")
    workspace_ensure(path)
    assert not (path / BOOTSTRAP).exists()
    assert (path / "SOUL.md").exists()
