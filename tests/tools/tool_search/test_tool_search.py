"""Finding tools of a large catalogue, as a model does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest

from agents.config.cache import cache_clear
from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from tests.tools.conftest import Call
from tests.tools.tool_search.catalogue import many_tools
from tools.builtin.tool_search import TOOL_DESCRIBE, TOOL_SEARCH
from tools.builtin.tool_search_call import TOOL_CALL
from tools.policy_turns import policy_decide
from tools.registry import register_builtin_tools, tool_schemas, tools_for

pytestmark = pytest.mark.django_db(transaction=True)

register_builtin_tools()

SEARCH = ["tool_search", "tool_describe", "tool_call"]


@pytest.fixture(autouse=True)
def office() -> Iterator[list[str]]:
    """Twenty tools of a plugin."""
    cache_clear()
    with many_tools() as names:
        yield names
    cache_clear()


def apply(context: ToolContext, **tools: Any) -> None:
    """Applies rules of tools and reads them, as the begin of a turn does."""
    config_apply(text=orjson.dumps({"tools": tools}))
    policy_decide(context)


def shown(context: ToolContext) -> list[str]:
    return [schema.name for schema in tool_schemas(tools_for(context))]


def found(call: Call, query: str, **more: Any) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(blocks_text(call(TOOL_SEARCH, query=query, **more).content))
    return facts


def ids(call: Call, query: str, **more: Any) -> list[str]:
    return [tool["id"] for tool in found(call, query, **more)["tools"]]


def test_it_works(call: Call, context: ToolContext, office: list[str]) -> None:
    apply(context, toolSearch=True)
    assert [name for name in shown(context) if name in office] == []
    assert [name for name in shown(context) if name in SEARCH] == SEARCH
    assert "read" in shown(context)
    assert ids(call, "create a ticket")[0] == "office_create_ticket"
    told = json.loads(blocks_text(call(TOOL_DESCRIBE, id="office_create_ticket").content))
    assert told["parameters"]["required"] == ["title"]


def test_without_the_setting_everything_is_shown(context: ToolContext, office: list[str]) -> None:
    apply(context)
    assert set(office) <= set(shown(context))
    assert not set(SEARCH) & set(shown(context))
    assert "tools.toolSearch" in policy_decide(context).removals["tool_search"].rule


def test_how_many_are_named(call: Call, context: ToolContext) -> None:
    apply(context, toolSearch={"searchDefaultLimit": 2, "maxSearchLimit": 4})
    assert len(ids(call, "office")) == 2
    assert len(ids(call, "office", limit=3)) == 3
    assert len(ids(call, "office", limit=100)) == 4
    assert found(call, "office")["total"] >= 20


def test_nothing_fits(call: Call, context: ToolContext) -> None:
    apply(context, toolSearch=True)
    facts = found(call, "xylophone")
    assert (facts["count"], facts["tools"]) == (0, [])
    assert "other words" in facts["hint"]


@pytest.mark.parametrize("query", ["", " ", "x" * 501])
def test_queries_that_are_none(call: Call, context: ToolContext, query: str) -> None:
    apply(context, toolSearch=True)
    with pytest.raises(ToolError, match="query"):
        call(TOOL_SEARCH, query=query)


def test_what_the_rules_took_is_not_found(call: Call, context: ToolContext) -> None:
    apply(context, toolSearch=True, deny=["office_remove_*"])
    assert not [name for name in ids(call, "remove", limit=20) if "remove" in name]
    with pytest.raises(ToolError, match="no tool"):
        call(TOOL_DESCRIBE, id="office_remove_ticket")
    assert "office_remove_ticket" not in [tool.name for tool in tools_for(context)]


def test_others_find_what_they_may_use(context: ToolContext) -> None:
    apply(context, toolSearch=True, toolsBySender={"id:p2": {"deny": ["office_*_invoice"]}})
    guest = replace(context, principal=Principal("p2"))
    policy_decide(guest)
    mine, theirs = ({tool.name for tool in tools_for(c)} for c in (context, guest))
    assert "office_find_invoice" in mine - theirs
    assert "office_find_ticket" in theirs


def test_with_one_of_the_three_taken_everything_is_shown(
    context: ToolContext, office: list[str]
) -> None:
    apply(context, toolSearch=True, deny=["tool_call"])
    assert set(office) <= set(shown(context))
    assert not set(SEARCH) & set(shown(context))


def test_nothing_to_find(call: Call, context: ToolContext) -> None:
    apply(context, toolSearch=True, deny=["group:plugins", "browser"], allow=["read", *SEARCH])
    assert shown(context) == ["read"]
    with pytest.raises(ToolError, match="no further tools"):
        call(TOOL_SEARCH, query="anything")


def test_rules_that_cannot_be_read_leave_nothing(call: Call, context: ToolContext) -> None:
    """Nobody read the rules of this agent before: nothing is found rather than everything."""
    other = replace(context, agent_id="never-read", model="x/y")
    with pytest.raises(ToolError, match=r"no further tools|switched off"):
        _search(other)


def _search(context: ToolContext) -> None:
    import asyncio

    from agents.core.abort import AbortSignal

    async def keep(_partial: object) -> None:
        return None

    asyncio.run(TOOL_SEARCH.execute("1", {"query": "ticket"}, context, AbortSignal(), keep))


def test_outside_of_a_turn_nothing_is_called(call: Call) -> None:
    with pytest.raises(ToolError, match="within a turn"):
        call(TOOL_CALL, id="office_create_ticket", args={"title": "x"})


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"mode": "code"}, "code is not supported"),
        ({"mode": "magic"}, "must be tools"),
        ({"searchDefaultLimit": 0}, "searchDefaultLimit"),
        ({"searchDefaultLimit": 30}, "searchDefaultLimit must not be above maxSearchLimit"),
        ({"surprise": 1}, "unknown key"),
        ("yes", "must be an object"),
    ],
)
def test_settings_that_are_refused(stated: Any, words: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text=orjson.dumps({"tools": {"toolSearch": stated}}))
    said = [f"{issue.path}: {issue.message}" for issue in caught.value.report.errors]
    assert len(said) == 1
    assert said[0].startswith("tools.toolSearch")
    assert words in said[0]
