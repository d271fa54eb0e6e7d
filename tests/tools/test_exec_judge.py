"""The gate judges commands by configuration, sender, session and what is typed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.messages import ToolCall
from agents.core.principal import Principal
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolResult, Verdict
from tools.builtin.exec.request import request_read
from tools.exec_settings import exec_settings_read
from tools.gate import PolicyGate
from tools.registry import register_builtin_tools
from tools.sandbox.choice import sandbox_plan
from tools.sandbox.variants import VARIANTS

pytestmark = pytest.mark.django_db(transaction=True)

register_builtin_tools()
UNLISTED = "make all"


def configure(**keys: Any) -> None:
    """Applies `tools` with these keys."""
    config_apply(text=json.dumps({"tools": keys}))


def verdict(context: ToolContext, command: str, *, tool: str = "exec", **arguments: Any) -> Verdict:
    """What the gate says."""
    given = {"command": command, **arguments} if tool == "exec" else arguments
    (found,) = asyncio.run(PolicyGate().judge([ToolCall("c", tool, given)], context))
    return found


def denied(found: Verdict) -> str:
    assert isinstance(found, Deny), found
    return found.reason


def test_it_works(context: ToolContext) -> None:
    """As it is delivered: owners' commands that look run, others are asked about."""
    assert verdict(context, "ls -la") == Allow()
    asked = verdict(context, UNLISTED)
    assert isinstance(asked, Park)
    assert (asked.ref, asked.kind) == ("", "exec")
    assert asked.decisions == ("allow-once", "allow-always", "deny")
    facts = asked.facts
    assert (facts["command"], facts["cwd"]) == (UNLISTED, str(context.workspace))
    assert (facts["security"], facts["ask"]) == ("allowlist", "on-miss")
    json.dumps(facts)
    assert "Nobody can be asked" in denied(verdict(replace(context, attended=False), UNLISTED))


def test_others_run_nothing(context: ToolContext) -> None:
    guest = replace(context, principal=Principal("p2"))
    configure(ownerOnly=[])
    assert "owners only" in denied(verdict(guest, "ls"))
    configure(ownerOnly=[], exec={"security": "allowlist"})
    assert verdict(guest, "ls") == Allow()


@pytest.mark.parametrize(
    ("stated", "arguments", "outcome"),
    [
        ({"security": "deny"}, {}, Deny),
        ({"security": "full"}, {}, Allow),
        ({"security": "full", "ask": "always"}, {}, Park),
        ({"ask": "off"}, {}, Deny),
        ({"ask": "off"}, {"ask": "always"}, Deny),
        ({"security": "full"}, {"security": "allowlist"}, Park),
        ({"security": "full"}, {"security": "deny"}, Deny),
        ({"security": "full"}, {"ask": "always"}, Park),
        ({"security": "deny"}, {"security": "full", "ask": "off"}, Deny),
        ({}, {"security": "full"}, Park),
        ({}, {"ask": "off"}, Park),
        ({"security": "full"}, {"host": "node"}, Deny),
        ({"security": "full"}, {"host": "sandbox"}, Deny),
        ({"host": "node", "security": "full"}, {}, Deny),
    ],
)
def test_the_strictest_holds(
    context: ToolContext, stated: dict[str, Any], arguments: dict[str, Any], outcome: type
) -> None:
    configure(exec=stated)
    assert type(verdict(context, UNLISTED, **arguments)) is outcome


def test_an_agent_has_its_own(context: ToolContext) -> None:
    document = {
        "tools": {"exec": {"security": "deny"}},
        "agents": {"list": [{"id": "main", "tools": {"exec": {"security": "full"}}}]},
    }
    config_apply(text=json.dumps(document))
    assert verdict(context, UNLISTED) == Allow()
    assert isinstance(verdict(replace(context, agent_id="other"), UNLISTED), Deny)


def test_nobody_there(context: ToolContext) -> None:
    alone = replace(context, attended=False)
    configure(exec={"askFallback": "full"})
    assert verdict(alone, UNLISTED) == Allow()
    configure(exec={"askFallback": "allowlist", "ask": "always"})
    assert verdict(alone, "ls") == Allow()
    assert isinstance(verdict(alone, UNLISTED), Deny)


def test_asked_always_is_never_kept(context: ToolContext) -> None:
    configure(exec={"ask": "always"})
    asked = verdict(context, UNLISTED)
    assert isinstance(asked, Park)
    assert asked.decisions == ("allow-once", "deny")
    assert asked.facts["allow"] == []


@pytest.mark.parametrize("security", ["full", "allowlist"])
@pytest.mark.parametrize(
    "command",
    [
        "/approve ab12 allow-always", "echo /approve ab12",
        "python manage.py approvals resolve x allow",
        "./manage.py  approvals 'allow' x", "openclaw approvals set x",
        "python3 manage.py allowances add /**",
        'sh -c "openclaw approvals resolve x"', "openclaw channels login", "manage.py signin_link",
        "op''enclaw approvals allow x", "python \\\n manage.py approvals allow x",
    ],
)  # fmt: skip
def test_nobody_answers_for_a_person(context: ToolContext, security: str, command: str) -> None:
    configure(exec={"security": security, "ask": "off"})
    denied(verdict(context, command))


def test_looking_at_approvals_is_no_answer(context: ToolContext) -> None:
    configure(exec={"security": "full"})
    assert verdict(context, "python manage.py approvals list") == Allow()
    assert verdict(context, "cat docs/approve.md") == Allow()


def test_typing_is_judged_like_running(context: ToolContext) -> None:
    typed = {"action": "write", "sessionId": "amber-fox", "data": "rm -rf /\n"}
    asked = verdict(context, "", tool="process", **typed)
    assert isinstance(asked, Park)
    assert asked.decisions == ("allow-once", "deny")
    assert asked.facts["command"] == "rm -rf /\n"
    for action in ("list", "poll", "log", "kill", "clear", "remove"):
        assert verdict(context, "", tool="process", action=action, sessionId="x") == Allow()
    configure(exec={"security": "full"})
    assert verdict(context, "", tool="process", **typed) == Allow()
    configure(exec={"security": "deny"})
    assert isinstance(verdict(context, "", tool="process", **typed), Deny)


def test_in_a_sandbox(context: ToolContext) -> None:
    inside = replace(context, sandboxed=True)
    configure(exec={"security": "deny"})
    assert verdict(inside, UNLISTED) == Allow()
    assert "needs elevated" in denied(verdict(inside, UNLISTED, host="gateway"))
    elevated = verdict(inside, UNLISTED, elevated=True)
    assert "tools.elevated.allowFrom.web" in denied(elevated)
    configure(elevated={"allowFrom": {"web": ["p1"]}})
    assert isinstance(verdict(inside, UNLISTED, elevated=True), Park)
    full = replace(inside, settings={"elevated": "full"})
    assert verdict(full, UNLISTED) == Allow()
    assert isinstance(verdict(full, UNLISTED, ask="always"), Park)
    off = replace(inside, settings={"elevated": "off"})
    assert "/elevated off" in denied(verdict(off, UNLISTED, elevated=True))


def test_an_elevated_command_runs_on_the_machine(context: ToolContext) -> None:
    """To its end, in the folder that the session has, without any container."""
    plan = sandbox_plan(
        {"sandbox": {"mode": "all"}},
        agent="main",
        session_key=context.session_key,
        workspace=context.workspace,
        home=context.workspace.parent,
    )
    inside = replace(context, sandboxed=True, settings={"sandbox": plan})
    configure(elevated={"allowFrom": {"web": ["p1"]}})
    arguments: dict[str, Any] = {"command": "pwd", "elevated": True, "background": True}
    assert verdict(inside, **arguments) == Allow()

    async def ignore(_partial: ToolResult) -> None:
        return None

    async def run(given: dict[str, Any], turn: ToolContext) -> ToolResult:
        return await VARIANTS["exec"].execute("c", given, turn, AbortSignal(), ignore)

    result = asyncio.run(run(arguments, inside))
    assert str(context.workspace) in str(result.content)
    assert result.details["status"] == "completed"
    # Whatever cannot be elevated is for the container, and here none was prepared.
    bare = replace(inside, settings={})
    for given in ({"command": "pwd"}, {"command": "pwd", "host": "gateway"}):
        with pytest.raises(Exception, match="sandbox"):
            asyncio.run(run(given, bare))


def test_nobody_is_asked_about_variables_that_are_refused(context: ToolContext) -> None:
    found = verdict(context, "date", env={"LD_PRELOAD": "x"})
    assert "env.LD_PRELOAD may not be set" in denied(found)


def test_variables_of_a_call(context: ToolContext) -> None:
    assert verdict(context, "ls", env={"LC_ALL": "C"}) == Allow()
    asked = verdict(context, "ls", env={"FOO": "1"})
    assert isinstance(asked, Park)
    assert asked.facts["envKeys"] == ["FOO"]


def test_folders_first_on_the_path(context: ToolContext, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "ls").write_text("#!/bin/sh\n")
    (folder / "ls").chmod(0o755)
    configure(exec={"pathPrepend": [str(folder)]})
    request = request_read({"command": "ls"}, context, exec_settings_read("main"))
    assert request.command.environment["PATH"].startswith(f"{folder}:")
    asked = verdict(context, "ls")
    assert isinstance(asked, Park)
    assert asked.facts["resolvedPath"] == str(folder / "ls")
    configure(exec={"pathPrepend": [str(folder)], "safeBinTrustedDirs": [str(folder)]})
    assert verdict(context, "ls") == Allow()


def test_filters(context: ToolContext) -> None:
    profile = {"maxPositional": 1, "deniedFlags": ["--exec"]}
    configure(exec={"safeBins": ["env"], "safeBinProfiles": {"env": {}}})
    assert verdict(context, "echo x | wc -l") == Allow()
    configure(exec={"safeBins": ["tsort"], "safeBinProfiles": {"tsort": profile}})
    assert verdict(context, "echo x | tsort") == Allow()
    assert isinstance(verdict(context, "echo x | tsort --exec"), Park)
    assert isinstance(verdict(context, "echo x | tsort a b"), Park)


def test_inline_code_is_asked_about_unless_configured(context: ToolContext) -> None:
    asked = verdict(context, "perl -e 1")
    assert isinstance(asked, Park)
    assert asked.decisions == ("allow-once", "deny")
    configure(exec={"strictInlineEval": False})
    asked = verdict(context, "perl -e 1")
    assert isinstance(asked, Park)
    assert "allow-always" in asked.decisions


@pytest.mark.parametrize(
    "stated",
    [{"security": "all"}, {"ask": "never"}, {"safeBins": ["/bin/ls"]}, {"pathPrepend": ["bin"]},
     {"safeBinProfiles": {"ls": {"deniedFlags": ["x"]}}}, {"strictInlineEval": "yes"}],
)  # fmt: skip
def test_values_that_mean_nothing(stated: dict[str, Any]) -> None:
    with pytest.raises(ConfigInvalid, match=rf"tools\.exec\.{next(iter(stated))}"):
        configure(exec=stated)
