"""The registry: which tools there are, in which order, and who sees which."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import pytest

from agents.config.services import config_apply
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from tools.registry import TOOLS, register_builtin_tools, tool_schemas, tools_for

pytestmark = pytest.mark.django_db

register_builtin_tools()


@pytest.fixture(autouse=True)
def without_browser() -> None:
    """Whether there is one depends on the machine."""
    config_apply(text="{browser: {enabled: false}}")


def names(context: ToolContext) -> list[str]:
    return [tool.name for tool in tools_for(context)]


def test_it_works(context: ToolContext) -> None:
    assert names(context) == [
        "read",
        "write",
        "edit",
        "exec",
        "process",
        "web_fetch",
        "memory_search",
        "memory_get",
        "update_plan",
        "gateway",
        "pdf",
        "read_result",
        "session_status",
    ]


def test_registering_twice_changes_nothing(context: ToolContext) -> None:
    before = TOOLS.names()
    register_builtin_tools()
    assert TOOLS.names() == before


def test_others_do_not_see_owner_only_tools(context: ToolContext) -> None:
    guest = replace(context, principal=Principal("p2"))
    owners = {"exec", "process", "gateway"}
    assert names(guest) == [name for name in names(context) if name not in owners]


def test_schemas_are_the_same_object_for_the_same_tools(context: ToolContext) -> None:
    first, second = tool_schemas(tools_for(context)), tool_schemas(tools_for(context))
    assert first is second
    assert [schema.name for schema in first] == names(context)


@pytest.mark.parametrize("name", ["read", "write", "edit", "exec", "web_fetch", "web_search"])
def test_schemas_are_valid_and_closed(name: str) -> None:
    tool = TOOLS.get(name)
    jsonschema.Draft202012Validator.check_schema(dict(tool.parameters))
    assert tool.name == name
    assert tool.description
    known = {name: "x" for name in tool.parameters["required"] if name != "edits"}
    validator = jsonschema.Draft202012Validator(dict(tool.parameters))
    found = {error.validator for error in validator.iter_errors({**known, "surprise": 1})}
    assert "additionalProperties" in found
