"""The names of servers' tools, and schemas that can be used."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.mcp.names import plugin_of, tool_names
from tools.mcp.schemas import UnusableSchemaError, schema_checked

SERVERS = st.from_regex(r"[A-Za-z0-9]{1,10}([_-][A-Za-z0-9]{1,9}){0,2}", fullmatch=True)


def test_it_works() -> None:
    assert tool_names("files", ["read", "read file"]) == {
        "read": "mcp__files__read", "read file": "mcp__files__read_file",
    }  # fmt: skip
    assert plugin_of("files") == "mcp-files"


@given(SERVERS, st.lists(st.text(max_size=80), unique=True, max_size=12), st.randoms())
def test_names_are_valid_different_and_independent_of_the_order(
    server: str, own: list[str], random: object
) -> None:
    found = tool_names(server, own)
    assert list(found) == own
    assert all(re.fullmatch(r"mcp__[A-Za-z0-9_-]{1,59}", name) for name in found.values())
    assert len({name.lower() for name in found.values()}) == len(own)
    shuffled = list(own)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert tool_names(server, shuffled) == found


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ([], "no JSON Schema"),
        ({"type": "array"}, "not of type object"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "leads back"),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, "leads nowhere"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "outside"),
        ({"properties": {"a": {"type": "text"}}}, "invalid"),
        ({"description": "x" * 200_000}, "larger than 128 KB"),
    ],
)
def test_unusable_schemas_are_refused(schema: object, problem: str) -> None:
    with pytest.raises(UnusableSchemaError, match=problem):
        schema_checked(schema)


def test_a_schema_that_is_nested_without_end_is_refused() -> None:
    schema: dict[str, object] = {}
    for _level in range(5000):
        schema = {"properties": {"a": schema}}
    with pytest.raises(UnusableSchemaError, match="nested deeper"):
        schema_checked(schema)


def test_a_missing_type_is_added() -> None:
    assert schema_checked({}) == {"type": "object"}
