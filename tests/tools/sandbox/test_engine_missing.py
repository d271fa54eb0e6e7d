"""Without an engine, or with settings that cannot be used, nothing runs anywhere."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.config.services import config_apply
from agents.core.errors import ToolError
from tests.tools.sandbox.conftest import Use, context_of
from tools.models import SandboxContainer
from tools.registry import TOOLS
from tools.sandbox.engine import Abilities
from tools.sandbox.prune import sandboxes_prune
from tools.sandbox.variants import VARIANTS, sandboxed_tools

pytestmark = pytest.mark.django_db(transaction=True)

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("exec", {"command": "touch ran"}),
    ("read", {"path": "file"}),
    ("write", {"path": "ran", "content": "x"}),
    ("edit", {"path": "file", "edits": [{"oldText": "a", "newText": "b"}]}),
    ("apply_patch", {"input": "*** Begin Patch\n*** Add File: ran\n+x\n*** End Patch"}),
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/file").write_text("a")
    return tmp_path / "ws"


def untouched(workspace: Path) -> bool:
    names = [one.name for one in workspace.parent.rglob("*") if one.is_file()]
    return names == ["file"] and (workspace / "file").read_text() == "a"


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_it_works(use: Use, workspace: Path, name: str, arguments: dict[str, Any]) -> None:
    document = {"mode": "all", "workspaceAccess": "rw"}
    turn = context_of(document, workspace, "agent:main:main")
    with pytest.raises(ToolError, match=r"cannot be reached.*Nothing was run"):
        use(turn, name, **arguments)
    assert untouched(workspace)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_bad_settings(use: Use, workspace: Path, name: str, arguments: dict[str, Any]) -> None:
    turn = context_of({"mode": "maybe"}, workspace, "agent:main:main")
    with pytest.raises(ToolError, match=r"cannot be used.*sandbox\.mode"):
        use(turn, name, **arguments)
    lost = replace(turn, settings={})
    with pytest.raises(ToolError, match="none was prepared"):
        use(lost, name, **arguments)
    assert untouched(workspace)


def test_every_tool_of_files_and_commands_is_replaced(workspace: Path) -> None:
    turn = context_of({"mode": "all"}, workspace, "agent:main:main")
    tools = [TOOLS.get(name) for name in VARIANTS]
    assert [tool.name for tool in sandboxed_tools(tools, turn)] == list(VARIANTS)
    for before, after in zip(tools, sandboxed_tools(tools, turn), strict=True):
        assert after is not before
        assert isinstance(after, type(before))
    assert sandboxed_tools(tools, replace(turn, sandboxed=False)) == tools


def said(*words: str) -> str:
    out = StringIO()
    call_command("sandbox", *words, stdout=out)
    return out.getvalue()


def test_commands_and_pruning(workspace: Path) -> None:
    config_apply(text="{agents: {defaults: {sandbox: {mode: 'all', docker: {capDrop: []}}}}}")
    assert sandboxes_prune() == 0
    SandboxContainer.objects.create(name="box", scope_key="agent:main", agent_slug="main")
    assert sandboxes_prune() == 0
    assert said("list").startswith("box  agent:main")
    assert json.loads(said("list", "--json"))[0]["name"] == "box"
    facts = json.loads(said("explain", "--json"))
    assert (facts["sandboxed"], facts["scope"]) == (True, "agent:main")
    assert facts["weakened"] == ["capDrop"]
    assert "cannot be reached" in facts["engine"]["problem"]
    assert "workspaceAccess: none" in said("explain", "--session", "agent:main:web:1")
    with pytest.raises(CommandError, match="no agent nobody"):
        said("explain", "--agent", "nobody")
    with pytest.raises(CommandError, match="cannot be reached"):
        said("recreate", "--all")


def test_what_a_machine_cannot_do_is_refused_only_when_asked_for(workspace: Path) -> None:
    poor = Abilities("1", False, False, False, False, False, False)
    turn = context_of({"mode": "all"}, workspace, "agent:main:main")
    assert poor.missing(turn.settings["sandbox"].config.docker) == []
    docker = {
        "memory": "1g", "memorySwap": "1g", "pidsLimit": 9, "cpus": 1, "apparmorProfile": "x",
        "seccompProfile": "/x",
    }  # fmt: skip
    turn = context_of({"mode": "all", "docker": docker}, workspace, "agent:main:main")
    assert len(poor.missing(turn.settings["sandbox"].config.docker)) == len(docker)
