"""The list of allowed commands: added, found, used, removed, and what no list can allow."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command

from agents.config.cache import cache_clear
from agents.core.errors import NotFound, UserError
from agents.core.messages import ToolCall
from agents.core.tools import Allow, Park, ToolContext, Verdict
from tools.allowances import (
    allowance_add,
    allowance_remove,
    allowance_store,
    allowances_flush,
    allowances_for,
    allowances_pending,
)
from tools.exec_security.patterns import exact_pattern
from tools.gate import PolicyGate
from tools.models import ExecAllowance
from tools.registry import register_builtin_tools

pytestmark = pytest.mark.django_db(transaction=True)

register_builtin_tools()


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Nothing is remembered from elsewhere."""
    cache_clear()
    if allowances_pending():
        allowances_flush()


@pytest.fixture
def program(tmp_path: Path, context: ToolContext) -> tuple[ToolContext, Path]:
    """A turn with a program of its own on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "deploy"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    return replace(context, environment={"PATH": path}), tool


def verdict(context: ToolContext, command: str, **arguments: Any) -> Verdict:
    """What the gate says."""
    call = ToolCall("c", "exec", {"command": command, **arguments})
    (found,) = asyncio.run(PolicyGate().judge([call], context))
    return found


def test_it_works(program: tuple[ToolContext, Path]) -> None:
    context, tool = program
    asked = verdict(context, "deploy --now")
    assert isinstance(asked, Park)
    assert asked.facts["allow"] == [{"pattern": str(tool), "argumentPattern": ""}]
    (row,) = allowance_store(
        agent="main", allow=asked.facts["allow"], command="deploy --now", added_by="Ada"
    )
    assert (row.source, row.added_by, row.agent_slug) == ("allow-always", "Ada", "main")
    assert verdict(context, "deploy --now") == Allow()
    assert verdict(context, "deploy; true") == Allow()
    assert verdict(replace(context, agent_id="other"), "deploy --now") != Allow()
    allowance_remove(entry_id=row.pk)
    assert isinstance(verdict(context, "deploy --now"), Park)


@pytest.mark.parametrize(
    "pattern", ["deploy", "*", "{bin}/*", "{bin}/dep?oy", "/**/deploy", "{bin}/deploy", "/**"]
)
def test_patterns(program: tuple[ToolContext, Path], pattern: str) -> None:
    context, tool = program
    allowance_add(agent="*", pattern=pattern.replace("{bin}", str(tool.parent)))
    assert verdict(context, "deploy") == Allow()


@pytest.mark.parametrize("pattern", ["deplo", "/*/deploy", "/bin/*", "Deploy", f"=command:{0:016}"])
def test_patterns_that_do_not_fit(program: tuple[ToolContext, Path], pattern: str) -> None:
    context, _tool = program
    allowance_add(agent="*", pattern=pattern)
    assert isinstance(verdict(context, "deploy"), Park)


def test_arguments(program: tuple[ToolContext, Path]) -> None:
    context, tool = program
    allowance_add(agent="main", pattern=str(tool), argument_pattern=r"--env (test|stage)")
    assert verdict(context, "deploy --env test") == Allow()
    for command in ("deploy", "deploy --env live", "deploy --env test x", "deploy --env $X"):
        assert isinstance(verdict(context, command), Park), command


def test_exactly_one_command(program: tuple[ToolContext, Path]) -> None:
    context, _tool = program
    command = "python3 -m http.server > log.txt"
    allowance_add(agent="main", pattern=exact_pattern(command))
    assert verdict(context, command) == Allow()
    assert isinstance(verdict(context, f"{command} "), Park)
    assert isinstance(verdict(context, command, env={"PYTHONX": "1"}), Park)
    sudo = "sudo ls > x"
    allowance_add(agent="main", pattern=exact_pattern(sudo))
    assert isinstance(verdict(context, sudo), Park)


def test_use_is_noted_and_changes_nothing_else(program: tuple[ToolContext, Path]) -> None:
    context, tool = program
    row = allowance_add(agent="main", pattern="deploy")
    assert verdict(context, "deploy a") == Allow()
    assert allowances_pending()
    allowances_flush()
    row.refresh_from_db()
    assert row.last_used_at is not None
    assert (row.last_used_command, row.last_resolved_path) == ("deploy a", str(tool))
    assert verdict(context, "deploy b") == Allow()
    assert not allowances_pending()


@pytest.mark.parametrize(
    ("pattern", "arguments", "why"),
    [
        ("", "", "must be a path"),
        (" git", "", "without spaces"),
        ("bin/git", "", "absolute path"),
        ("=command:xyz", "", "16 hexadecimal"),
        ("=anything", "", "16 hexadecimal"),
        ("git", "(", "no regular expression"),
    ],
)
def test_entries_that_mean_nothing(pattern: str, arguments: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        allowance_add(agent="main", pattern=pattern, argument_pattern=arguments)
    assert not ExecAllowance.objects.exists()


def test_twice_is_once() -> None:
    first = allowance_add(agent="main", pattern="git")
    assert allowance_add(agent="main", pattern="git").pk == first.pk
    assert len(allowances_for("main")) == 1
    with pytest.raises(NotFound):
        allowance_remove(entry_id=first.pk + 1)


def manage(*words: str) -> str:
    """What the command prints."""
    out = io.StringIO()
    call_command("allowances", *words, stdout=out)
    return out.getvalue()


def test_what_an_answer_was_about_is_not_taken_for_what_it_allows() -> None:
    kept = {"source": "allow-always", "command_text": "git -C repo status"}
    ExecAllowance.objects.create(agent_slug="main", pattern="/usr/bin/git", **kept)
    manage("add", "--command", "make > log.txt")
    listed = manage("list")
    assert "main  /usr/bin/git  any arguments  (asked about: git -C repo status)" in listed
    assert f"*  {exact_pattern('make > log.txt')}  make > log.txt" in listed


def test_the_command() -> None:
    assert "No command is allowed" in manage("list")
    assert "main  /usr/bin/git  status.*" in manage(
        "add", "/usr/bin/git", "--agent", "main", "--arguments", "status.*"
    )
    manage("add", "--command", "make > log.txt")
    rows = orjson.loads(manage("list", "--json"))
    assert [(row["agentId"], row["pattern"]) for row in rows] == [
        ("*", exact_pattern("make > log.txt")),
        ("main", "/usr/bin/git"),
    ]
    assert "Removed: main: /usr/bin/git" in manage("remove", str(rows[1]["id"]))
    assert "git" not in manage("list", "--agent", "main")
    for words in (("add",), ("add", "git", "--command", "x"), ("add", "a/b"), ("remove", "0")):
        with pytest.raises(CommandError):
            manage(*words)
