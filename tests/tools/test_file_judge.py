"""File tools keep people's notes apart, and ask before files that tell programs what to run."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.config.services import config_apply
from agents.core.messages import ToolCall
from agents.core.principal import Principal
from agents.core.tools import Allow, Deny, Park, ToolContext, Verdict
from tools.gate import PolicyGate
from tools.registry import register_builtin_tools

pytestmark = pytest.mark.django_db(transaction=True)

register_builtin_tools()
ADA = Principal("p-ada", name="Ada")


def verdict(context: ToolContext, tool: str, path: str, **arguments: Any) -> Verdict:
    given = {"path": path, "content": "x", **arguments}
    (found,) = asyncio.run(PolicyGate().judge([ToolCall("c", tool, given)], context))
    return found


@pytest.fixture
def ada(context: ToolContext) -> ToolContext:
    """A turn of somebody who is no owner; there are notes of two people and of the owner."""
    for name in ("people/p-ada/a.md", "people/p-bob/b.md", "shared/s.md", "2026-03-01.md"):
        note = context.workspace / "memory" / name
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("note\n")
    (context.workspace / "link.md").symlink_to("memory/people/p-bob/b.md")
    (context.workspace / "others").symlink_to("memory/people")
    return replace(context, principal=ADA)


def test_it_works(context: ToolContext, ada: ToolContext) -> None:
    assert verdict(ada, "read", "memory/people/p-ada/a.md") == Allow()
    denied = verdict(ada, "read", "memory/people/p-bob/b.md")
    assert isinstance(denied, Deny)
    assert "memory/people/p-ada/" in denied.reason
    assert verdict(context, "read", "memory/people/p-bob/b.md") == Allow()


@pytest.mark.parametrize(
    "path",
    [
        "./memory/people/p-bob/b.md", "memory//people/p-bob/b.md", "link.md", "others/p-bob/b.md",
        "memory/shared/../people/p-bob/b.md", "memory/people/p-bob", "memory/people", "memory",
        "memory/people/p-ada/../p-bob/b.md", "Memory/People/p-bob/b.md", "memory/2026-03-01.md",
        "memory/people/p-bob/not-there.md", "MEMORY.md", "memory.md", "USER.md", "BOOTSTRAP.md",
        "memory/people/p-ada-2/a.md", "file://memory/people/p-bob/b.md",
    ],
)  # fmt: skip
def test_notes_of_others_are_not_read(ada: ToolContext, path: str) -> None:
    assert isinstance(verdict(ada, "read", path), Deny)
    whole = str(ada.workspace / path) if "://" not in path else path
    assert isinstance(verdict(ada, "read", whole, file_path=whole), Deny)


def test_other_tools_do_not_show_or_change_them(ada: ToolContext) -> None:
    bob = "memory/people/p-bob/b.md"
    assert isinstance(verdict(ada, "read", "a.txt", file_path=bob), Deny)
    assert isinstance(verdict(ada, "edit", bob), Deny)
    assert isinstance(verdict(ada, "write", bob), Deny)
    assert isinstance(verdict(ada, "image", "a.png", images=["a.png", f"@{bob}"]), Deny)
    upload = verdict(ada, "browser", "a.txt", action="upload", paths=["a.txt", bob])
    assert isinstance(upload, Deny)
    patch = f"*** Begin Patch\n*** Update File: {bob}\n-note\n+other\n*** End Patch"
    assert isinstance(verdict(ada, "apply_patch", "", input=patch), Deny)
    patch = f"*** Begin Patch\n*** Update File: a.txt\n*** Move to: {bob}\n-a\n+b\n*** End Patch"
    assert isinstance(verdict(ada, "apply_patch", "", input=patch), Deny)
    assert verdict(ada, "write", "memory/people/p-ada/new.md") == Allow()
    assert verdict(ada, "read", "memory/shared/s.md") == Allow()
    assert verdict(ada, "read", "memories/people/p-bob/b.md") == Allow()


def test_the_same_in_a_sandbox(ada: ToolContext) -> None:
    inside = replace(ada, sandboxed=True)
    for folder in ("/workspace", "/agent"):
        found = verdict(inside, "read", f"{folder}/memory/people/p-bob/b.md")
        assert isinstance(found, Deny)


@pytest.mark.parametrize("path", ["AGENTS.md", "SOUL.md", "skills/x/SKILL.md", "soul.md"])
def test_only_owners_change_what_instructs_the_agent(
    context: ToolContext, ada: ToolContext, path: str
) -> None:
    assert isinstance(verdict(ada, "write", path), Deny)
    assert isinstance(verdict(ada, "edit", path), Deny)
    assert verdict(ada, "read", path) == Allow()
    assert verdict(context, "write", path) == Allow()


@pytest.mark.parametrize(
    "path",
    [".git/config", "sub/.git/hooks/pre-commit", ".git", "a/../.git/config", ".GIT/config", "g/x"],
)
def test_files_that_git_obeys_are_asked_about(context: ToolContext, path: str) -> None:
    """Whoever writes them runs anything with the next `git status`."""
    (context.workspace / ".git").mkdir()
    (context.workspace / "g").symlink_to(".git")
    asked = verdict(context, "write", path)
    assert isinstance(asked, Park)
    assert asked.decisions == ("allow-once", "deny")
    assert "git" in asked.reason
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"
    assert isinstance(verdict(context, "apply_patch", "", input=patch), Park)
    assert isinstance(verdict(replace(context, attended=False), "write", path), Deny)
    assert verdict(context, "read", path) == Allow()
    assert verdict(replace(context, sandboxed=True), "write", path) == Allow()


def test_what_only_sounds_like_them_is_not(context: ToolContext) -> None:
    for path in (".gitignore", ".github/workflows/x.yml", "git/config", ".gitattributes"):
        assert verdict(context, "write", path) == Allow()


def test_who_may_run_everything_is_not_asked(context: ToolContext) -> None:
    config_apply(text=json.dumps({"tools": {"exec": {"security": "full"}}}))
    assert verdict(context, "write", ".git/config") == Allow()
    guest = replace(context, principal=ADA)
    assert isinstance(verdict(guest, "write", ".git/config"), Park)


def test_settings_in_the_home_folder(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace that is the home folder has what shells read before each command."""
    monkeypatch.setenv("HOME", str(context.workspace))
    for path in (".bash_profile", "~/.profile", ".config/git/config"):
        assert isinstance(verdict(context, "write", path), Park)
    assert verdict(context, "write", "notes.txt") == Allow()
    kept = Path(context.workspace) / ".openclaw" / "workspace"
    kept.mkdir(parents=True)
    inside = replace(context, workspace=kept)
    assert verdict(inside, "write", "notes.txt") == Allow()
    assert isinstance(verdict(inside, "write", "../plugins/evil/__init__.py"), Park)


def test_the_folder_of_the_gateway(context: ToolContext) -> None:
    """Plugins and settings are there, and with tools.fs.workspaceOnly: false within reach."""
    home = settings.OPENCLAW.home
    assert isinstance(verdict(context, "write", f"{home}/plugins/evil/__init__.py"), Park)
    own = replace(context, workspace=Path(home) / "workspaces" / "main")
    assert verdict(own, "write", "notes.txt") == Allow()
    assert isinstance(verdict(own, "write", "../../plugins/x/__init__.py"), Park)
    own = replace(context, workspace=Path(home) / "workspace")
    assert verdict(own, "write", "notes.txt") == Allow()
    assert isinstance(verdict(own, "write", "../plugins/x/__init__.py"), Park)
    assert verdict(own, "write", "../new.txt") == Allow()
