"""Which calls could do harm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from agents.core.messages import ToolCall
from agents.core.tools import ToolContext
from tools.danger import DANGEROUS, call_dangerous
from tools.mcp.catalogue import ToolSpec, catalogue_make
from tools.mcp.listing import _offer as offer_read
from tools.mcp.schema import McpToolFilter
from tools.mcp.settings import Configured
from tools.mcp.tool import McpTool
from tools.registry import TOOLS, register_builtin_tools

register_builtin_tools()


def dangerous(context: ToolContext, tool: str, also: tuple[str, ...] = (), **given: Any) -> bool:
    """Whether a call of `tool` with these arguments is of the class."""
    return call_dangerous(ToolCall("1", tool, given), context, also)


def test_it_works(context: ToolContext) -> None:
    assert dangerous(context, "exec", command="ls")
    assert not dangerous(context, "read", path="a.txt")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("exec", {}),
        ("bash", {"command": "ls"}),
        (" EXEC ", {}),
        ("process", {"action": "write"}),
        ("process", {"action": "submit"}),
        ("process", {}),
        ("gateway", {"action": "config.patch"}),
        ("gateway", {"action": "restart"}),
        ("cron", {"action": "add"}),
        ("nodes", {"action": "status"}),
        ("message", {"action": "send"}),
        ("sessions_send", {"message": "x"}),
        ("sessions_spawn", {"task": "x"}),
        ("write", {"path": "../x"}),
        ("write", {"path": "/etc/passwd"}),
        ("write", {"file_path": "~/.bashrc"}),
        ("write", {"path": ""}),
        ("write", {"path": "a\0b"}),
        ("write", {"path": "AGENTS.md"}),
        ("edit", {"path": "./sub/../soul.MD"}),
        ("edit", {"filePath": "skills/one/SKILL.md"}),
        ("edit", {"path": "linked/new.txt"}),
        ("edit", {"path": "notes.txt", "file": "AGENTS.md"}),
        ("edit", {"path": "renamed.txt"}),
        ("edit", {"path": "loop"}),
        ("apply_patch", {"input": "no patch"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"}),
        (
            "apply_patch",
            {
                "input": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: ../b.txt\n@@\n-a\n"
                "+b\n*** End Patch"
            },
        ),
    ],
)
def test_the_class(
    context: ToolContext, workspace: Path, tool: str, arguments: dict[str, Any]
) -> None:
    (workspace / "linked").symlink_to(workspace.parent)
    (workspace / "loop").symlink_to("loop")
    (workspace / "AGENTS.md").write_text("be good")
    (workspace / "renamed.txt").symlink_to("AGENTS.md")
    assert dangerous(context, tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"path": "/etc/passwd"}),
        ("process", {"action": "list"}),
        ("process", {"action": " POLL "}),
        ("gateway", {"action": "config.get"}),
        ("cron", {"action": "list"}),
        ("write", {"path": "notes/a.txt", "content": "x"}),
        ("write", {"path": "docs/AGENTS.md", "content": "x"}),
        ("edit", {"path": "{workspace}/a.txt"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"}),
        ("web_fetch", {"url": "https://example.org"}),
        ("unheard_of", {}),
    ],
)
def test_the_rest(
    context: ToolContext, workspace: Path, tool: str, arguments: dict[str, Any]
) -> None:
    arguments = {
        key: value.replace("{workspace}", str(workspace)) for key, value in arguments.items()
    }
    assert not dangerous(context, tool, **arguments)


def test_the_workspace_may_be_a_link(context: ToolContext, workspace: Path) -> None:
    link = workspace.with_name("link")
    link.symlink_to(workspace)
    linked = replace(context, workspace=link)
    assert not dangerous(linked, "write", path=f"{link}/a.txt")
    assert not dangerous(linked, "write", path=f"{workspace}/a.txt")
    assert dangerous(linked, "write", path="AGENTS.md")


def test_an_administrator_adds_tools(context: ToolContext) -> None:
    assert dangerous(context, "browser", ("group:ui",))
    assert dangerous(context, "mcp__mail__send", ("mcp__*",))
    assert dangerous(context, "web_fetch", ("Web_Fetch",))
    assert not dangerous(context, "read", ("group:ui", "mcp__*", "group:none"))


class Declared:
    """A tool that says of itself that it could do harm."""

    name = label = description = "wipe"
    dangerous = True


def test_a_tool_says_it_of_itself(context: ToolContext) -> None:
    TOOLS.register("wipe", Declared())  # type: ignore[arg-type]
    try:
        assert dangerous(context, "wipe")
    finally:
        TOOLS.unregister("wipe")
    assert not dangerous(context, "wipe")


def test_what_cannot_be_judged_is_dangerous(context: ToolContext) -> None:
    def broken(arguments: Any, context: ToolContext) -> bool:
        raise ValueError("odd")

    DANGEROUS.register("odd", broken)
    try:
        assert dangerous(context, "odd")
    finally:
        DANGEROUS.unregister("odd")


@pytest.mark.parametrize("hint", [True, False, None, "yes"])
def test_an_mcp_server_says_it_of_its_tools(context: ToolContext, hint: object) -> None:
    """Only a plain yes counts, also after the tool was stored and read again."""
    offer = offer_read({"name": "wipe", "inputSchema": {"type": "object"}, "annotations": {
        "destructiveHint": hint,
    }})  # fmt: skip
    (spec,) = catalogue_make("files", [offer], McpToolFilter()).tools
    spec = ToolSpec.from_json(spec.to_json())
    tool = McpTool(cast("Configured", None), spec)
    TOOLS.register(tool.name, tool)
    try:
        assert dangerous(context, tool.name) is (hint is True)
    finally:
        TOOLS.unregister(tool.name)
