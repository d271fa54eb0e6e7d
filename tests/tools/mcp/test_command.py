"""`manage.py mcp`."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.tools.mcp.conftest import McpStand, server_entry

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> str:
    output = io.StringIO()
    call_command("mcp", *arguments, stdout=output)
    return output.getvalue()


def test_it_works(stand: McpStand) -> None:
    stand.configure(
        srv=server_entry("good"),
        absent={"command": "/no/such/program"},
        off=server_entry("good", enabled=False),
    )
    states: list[dict[str, Any]] = json.loads(run("list", "--json"))
    assert {state["name"]: state["state"] for state in states} == {
        "absent": "bad", "off": "disabled", "srv": "ready",
    }  # fmt: skip
    lines = run("list")
    assert "there is no program" in lines
    assert "11 tools" in lines
    assert "mcp__srv__echo" in run("tools", "srv").splitlines()


def test_a_test_connects_whatever_is_known(stand: McpStand) -> None:
    stand.configure(srv=server_entry("names", enabled=False), absent={"command": "/no/such"})
    found = run("test", "srv")
    assert "mcp__srv__read_file" in found
    assert "Left out: twin: listed twice" in found
    with pytest.raises(CommandError, match="no program"):
        run("test", "absent")
    with pytest.raises(CommandError, match=r"no MCP server nobody; there are: absent, srv"):
        run("test", "nobody")


def test_nothing_is_configured(stand: McpStand) -> None:
    assert "No MCP servers" in run("list")
