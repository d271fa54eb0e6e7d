"""Servers' tools in turns and in front of the rules."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from io import StringIO
from typing import Any

import orjson
import pytest
from django.core.management import call_command

from agents.config.services import config_apply
from agents.core.messages import ToolCall
from agents.core.principal import Principal
from agents.core.tools import Deny, ToolContext
from agents.database import run_db
from tests.tools.mcp.conftest import McpStand, known, server_entry
from tools.gate import PolicyGate
from tools.mcp.hub import hub_running
from tools.models import McpCatalogue
from tools.policy_turns import policy_fetch
from tools.registry import tools_for

pytestmark = pytest.mark.django_db(transaction=True)


def apply(servers: dict[str, Any], **tools: Any) -> None:
    config_apply(text=json.dumps({"mcp": {"servers": servers}, "tools": tools}))


async def seen(context: ToolContext) -> list[str]:
    """The tools of servers that a turn gets."""
    await policy_fetch(context)
    tools = await run_db(tools_for, context)
    return [tool.name for tool in tools if tool.name.startswith("mcp__")]


async def seen_at_last(context: ToolContext) -> list[str]:
    """The same, turn after turn until there are some."""
    for _turn in range(1500):
        if names := await seen(context):
            return names
        await asyncio.sleep(0.05)
    return []


def test_it_works(stand: McpStand, context: ToolContext) -> None:
    """The first turn after a server was configured waits a little, and has its tools in the end."""
    apply({"srv": server_entry("good", tools={"allow": ["e*"]})})

    assert asyncio.run(seen_at_last(context)) == ["mcp__srv__echo", "mcp__srv__environment"]


def test_a_turn_does_not_wait_for_a_server_that_hangs(
    stand: McpStand, context: ToolContext
) -> None:
    apply({"hangs": server_entry("hang"), "well": server_entry("good", tools={"allow": ["echo"]})})

    assert asyncio.run(seen_at_last(context)) == ["mcp__well__echo"]


def test_rules_take_single_tools_and_whole_servers(stand: McpStand, context: ToolContext) -> None:
    servers = {"one": {"command": "/no/such"}, "two": {"command": "/no/such"}}
    apply(servers)
    known("one", "echo", "fail")
    known("two", "echo")
    apply(servers, deny=["plugin:mcp-two", "mcp__one__fail"])
    assert asyncio.run(seen(context)) == ["mcp__one__echo"]
    apply(servers, profile="coding")
    assert len(asyncio.run(seen(context))) == 3
    apply(servers, profile="minimal")
    assert asyncio.run(seen(context)) == []
    guest = replace(context, principal=Principal("p2"))
    apply(servers, ownerOnly=["group:mcp"])
    assert asyncio.run(seen(guest)) == []
    verdicts = asyncio.run(PolicyGate().judge([ToolCall("1", "mcp__one__echo", {})], guest))
    assert isinstance(verdicts[0], Deny)


def test_other_processes_know_the_tools_without_a_connection(transactional_db: None) -> None:
    """A page explains rules about tools that only workers have connections to."""
    apply({"srv": {"command": "/no/such/program"}}, deny=["mcp__srv__b"])
    known("srv", "a", "b")
    out = StringIO()
    call_command("policy", "explain", "--json", stdout=out)
    rows = {row["name"]: row for row in orjson.loads(out.getvalue())["tools"]}
    assert rows["mcp__srv__a"]["kept"]
    assert rows["mcp__srv__a"]["plugin"] == "mcp-srv"
    assert rows["mcp__srv__b"]["rule"] == "tools.deny: mcp__srv__b"
    assert hub_running() is None
    apply({})
    assert not McpCatalogue.objects.exists()
    out = StringIO()
    call_command("policy", "explain", "--json", stdout=out)
    assert "mcp__" not in out.getvalue()
