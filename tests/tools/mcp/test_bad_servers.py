"""A server that does not work is marked with the reason; the others work."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tools.conftest import Call
from tests.tools.mcp.conftest import McpStand, server_entry
from tests.tools.mcp.servers.over_http import broken, http_server
from tools.mcp.store import catalogues_known

pytestmark = pytest.mark.django_db(transaction=True)

SHORT = {"connectionTimeoutMs": 300}


def test_it_works(stand: McpStand, call: Call) -> None:
    """All kinds of trouble at once, and one that is well."""
    with http_server(broken) as address:
        stand.configure(
            well=server_entry("good"),
            absent={"command": "/no/such/program"},
            ends=server_entry("exit"),
            hangs=server_entry("hang", **SHORT),
            garbage=server_entry("garbage", **SHORT),
            large=server_entry("large"),
            error={"url": f"{address}/mcp"},
            errors={"url": f"{address}/sse", "transport": "sse"},
            refuses={"url": "http://127.0.0.1:9/mcp"},
        )
    assert {name.split("__")[1] for name in stand.names()} == {"well"}
    problems = {name: known.problem for name, known in catalogues_known().items()}
    assert problems["well"] == ""
    assert "no program" in problems["absent"]
    assert "cannot find its licence" in problems["ends"]
    assert "in time" in problems["hangs"]
    assert "in time" in problems["garbage"]
    assert "larger than 1024 KB" in problems["large"]
    assert "500" in problems["error"]
    assert "500" in problems["errors"]
    assert problems["refuses"]
    assert not call(stand.tool("mcp__well__echo"), text="x").is_error


def test_names_are_cleaned_and_told_apart(stand: McpStand, call: Call) -> None:
    stand.configure(srv=server_entry("names"))
    names = stand.names()
    assert len({name.lower() for name in names}) == len(names) == 6
    assert all(len(name) <= 64 for name in names)
    known = catalogues_known()["srv"]
    assert len(known.catalogue.problems) == 1
    assert "listed twice" in known.catalogue.problems[0]
    remote = {spec.remote: spec.name for spec in known.catalogue.tools}
    for own in ("read file", "read.file", "read_file", "Read_File", "x" * 90):
        assert own in str(call(stand.tool(remote[own])).content[0])


def test_schemas_that_nobody_can_use_take_only_their_tool(stand: McpStand, call: Call) -> None:
    stand.configure(srv=server_entry("schemas"))
    assert stand.names() == ["mcp__srv__fine", "mcp__srv__tree"]
    problems: Any = " / ".join(catalogues_known()["srv"].catalogue.problems)
    for part in ("loop: its $ref", "leads back", "invalid: its schema", "far: its $ref"):
        assert part in problems
    assert not call(stand.tool("mcp__srv__fine"), text="x").is_error


def test_a_filter_takes_tools_away(stand: McpStand) -> None:
    stand.configure(
        srv=server_entry("good", tools={"allow": ["e*", "f*"], "deny": ["env*"]}),
        off=server_entry("good", enabled=False),
    )
    assert stand.names() == ["mcp__srv__echo", "mcp__srv__fail"]
