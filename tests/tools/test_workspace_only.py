"""`tools.fs.workspaceOnly`: an administrator may let owners' file tools out of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import Tool, ToolContext, ToolResult
from tests.tools.conftest import Call
from tools.builtin.edit import EDIT
from tools.builtin.read import READ
from tools.builtin.write import WRITE
from tools.workspace.reach import WHOLE_DISK, disk_open


def run(tool: Tool, context: ToolContext, **arguments: Any) -> str:
    """What a call in a turn whose disk is open answers."""

    async def ignore(partial: ToolResult) -> None:
        """No listener."""

    context = replace(context, settings={WHOLE_DISK: True})
    result = asyncio.run(tool.execute("c", arguments, context, AbortSignal(), ignore))
    return blocks_text(result.content)


def test_it_works(context: ToolContext, workspace: Path, call: Call) -> None:
    outside = workspace.parent / "notes.txt"
    assert run(WRITE, context, path="../notes.txt", content="one") == (
        f"Created {outside.resolve()} (3 bytes)."
    )
    edits = [{"oldText": "one", "newText": "two"}]
    assert f"Edited {outside.resolve()}" in run(EDIT, context, path=str(outside), edits=edits)
    (workspace / "link").symlink_to(outside)
    assert run(READ, context, path="link") == "two"
    with pytest.raises(ToolError, match="outside the workspace"):
        call(READ, path="../notes.txt")


def test_within_the_workspace_nothing_is_different(context: ToolContext, workspace: Path) -> None:
    assert run(WRITE, context, path="new/a.txt", content="x") == "Created new/a.txt (1 bytes)."
    with pytest.raises(ToolError, match=r"there is no 'none\.txt'"):
        run(READ, context, path="none.txt")


def test_only_for_owners(context: ToolContext, workspace: Path) -> None:
    (workspace.parent / "notes.txt").write_text("secret")
    somebody = replace(context, principal=Principal("p2"))
    with pytest.raises(ToolError, match="outside the workspace"):
        run(READ, somebody, path="../notes.txt")


@pytest.mark.parametrize("path", ["/proc/self/environ", "/dev/zero", "/sys/kernel/notes"])
def test_the_kernel_stays_closed(context: ToolContext, path: str) -> None:
    with pytest.raises(ToolError, match="outside"):
        run(READ, context, path=path)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("everybody", "own", "is_open"),
    [
        ("", None, False),
        ("tools: {fs: {workspaceOnly: false}}", None, True),
        ("tools: {fs: {workspaceOnly: false}}", {"fs": {"workspaceOnly": True}}, False),
        ("tools: {fs: {workspaceOnly: true}}", {"fs": {"workspaceOnly": False}}, True),
        ("tools: {fs: {workspaceOnly: false}}", {"fs": {}}, True),
    ],
)
def test_settings(everybody: str, own: Mapping[str, Any] | None, is_open: bool) -> None:
    config_apply(text=everybody or "tools: {}")
    assert disk_open(agent_tools=own) is is_open
