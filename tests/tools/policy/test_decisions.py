"""From the configuration to a decision, as turns ask for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from agents.models import Agent, ConfigSection
from tools.plugin_tools import tool_take
from tools.policy_turns import policy_decide, policy_explained, tool_facts
from tools.registry import TOOLS, register_builtin_tools, tools_for

pytestmark = pytest.mark.django_db

register_builtin_tools()


@pytest.fixture(autouse=True)
def clean(db: None) -> None:
    cache_clear()


def apply(**keys: Any) -> None:
    config_apply(text=orjson.dumps(keys))


def rule(context: ToolContext, tool: str) -> str:
    removal = policy_decide(context).removals.get(tool)
    return removal.rule if removal else ""


def test_it_works(context: ToolContext) -> None:
    assert {"read", "exec"} <= set(policy_decide(context).kept)
    apply(tools={"profile": "analysis"})
    assert [tool.name for tool in tools_for(context)][:1] == ["read"]
    assert rule(context, "exec") == 'tools.profile "analysis" does not name it'


@pytest.mark.django_db(transaction=True)
def test_asking_again_reads_nothing(context: ToolContext) -> None:
    apply(tools={"deny": ["exec"]}, agents={"main": {"tools": {"deny": ["edit"]}}})
    guest = replace(context, principal=Principal("p2", name="Bo"))
    with CaptureQueriesContext(connection) as first:
        policy_decide(context)
    with CaptureQueriesContext(connection) as second:
        again = [policy_decide(context), policy_decide(guest)]
    assert first.captured_queries
    assert not second.captured_queries
    assert again[0] is policy_decide(context)
    cache_clear()


def test_rooms_come_from_the_session_key(context: ToolContext) -> None:
    apply(
        channels={"discord": {"groups": {"42": {"tools": {"allow": ["read"]}}, "*": {}}}},
        tools={"toolsBySender": {"*": {"deny": ["edit"]}}},
    )
    inside = replace(context, session_key="agent:main:discord:group:42:thread:7")
    assert rule(inside, "write") == 'channels.discord.groups["42"].tools.allow does not name it'
    assert rule(inside, "edit") == 'tools.toolsBySender["*"].deny: edit'
    for key in ("agent:main:discord:group:43", "agent:main:main"):
        assert rule(replace(context, session_key=key, channel="discord"), "write") == ""


def test_models_and_children(context: ToolContext) -> None:
    apply(
        agents={
            "defaults": {"subagents": {"maxSpawnDepth": 2}},
            "main": {"tools": {"byProvider": {"lab/small": {"deny": ["exec"]}}}},
        },
        tools={"subagents": {"tools": {"deny": ["write"]}}},
    )
    small = replace(context, model="lab/small")
    place = 'agents.list.main.tools.byProvider["lab/small"].deny: exec'
    assert (rule(small, "exec"), rule(context, "exec")) == (place, "")
    child = replace(context, session_key="agent:main:subagent:x")
    assert rule(child, "write") == "tools.subagents.tools.deny: write"


def test_owner_only_can_be_changed(context: ToolContext) -> None:
    guest = replace(context, principal=Principal("p2"))
    assert rule(guest, "exec") == "tools.ownerOnly: exec"
    apply(tools={"ownerOnly": ["write"]})
    assert (rule(guest, "exec"), rule(guest, "write")) == ("", "tools.ownerOnly: write")


def test_a_sandbox(context: ToolContext) -> None:
    apply(agents={"main": {"tools": {"sandbox": {"tools": {"allow": ["read"]}}}}})
    inside = replace(context, sandboxed=True)
    assert "read" in policy_decide(inside).kept
    assert rule(inside, "exec") == "agents.list.main.tools.sandbox.tools.allow does not name it"
    assert rule(context, "exec") == ""


@pytest.mark.parametrize("stored", [{"deny": "exec"}, {"allow": [1]}, {"profile": "gone"}, []])
def test_rules_that_became_invalid_allow_nothing(context: ToolContext, stored: Any) -> None:
    """Older versions kept these keys without looking at them."""
    ConfigSection.objects.create(name="tools", document=stored)
    cache_clear()
    assert policy_decide(context).kept == () or stored == []


def test_an_agents_invalid_rules_allow_it_nothing(context: ToolContext) -> None:
    Agent.objects.all().delete()
    Agent.objects.create(slug="main", settings={"tools": {"deny": "exec"}})
    Agent.objects.create(slug="ops")
    cache_clear()
    assert policy_decide(context).kept == ()
    assert rule(context, "read") == "agents.list.main.tools.deny must be a valid list: *"
    assert "read" in policy_decide(replace(context, agent_id="ops")).kept


def test_an_agent_that_is_not_there_gets_nothing(context: ToolContext) -> None:
    assert policy_decide(replace(context, agent_id="nobody")).kept == ()


class PluginTool:
    """A tool of a plugin; only its description counts here."""

    label = description = "Reads tickets."
    parameters = {"type": "object"}
    repeatable = True
    execution = "parallel"
    optional = False

    async def execute(self, *arguments: Any) -> None:
        """Never called."""


def test_tools_of_plugins(context: ToolContext) -> None:
    tool = PluginTool()
    tool.optional = True
    undo = tool_take("jira", "jira_read", tool)
    try:
        assert "jira" in {tool.plugin for tool in tool_facts()}
        assert rule(context, "jira_read").startswith("an optional tool")
        apply(tools={"alsoAllow": ["plugin:jira"]})
        assert "jira_read" in policy_decide(context).kept
        apply(tools={"alsoAllow": ["plugin:jira"], "deny": ["group:plugins"]})
        assert rule(context, "jira_read") == "tools.deny: group:plugins"
    finally:
        undo()
    assert "jira_read" not in TOOLS
    assert "jira" not in {tool.plugin for tool in tool_facts()}


@pytest.mark.parametrize("name", ["exec", "Gateway", "bash"])
def test_names_that_plugins_cannot_take(name: str) -> None:
    with pytest.raises(ValueError, match="kept for a tool of the product"):
        tool_take("jira", name, PluginTool())


@pytest.mark.parametrize(
    ("ref", "params", "hidden"),
    [
        ("lab/small", {}, False),
        ("lab/small", {"extraBody": {"search_parameters": {"mode": "auto"}}}, True),
        ("lab/small", {"extraBody": {"search_parameters": {"mode": "off"}}}, False),
        ("lab/small", {"extraBody": {"web_search_options": {}}}, True),
        ("lab/small", {"extraBody": {"enable_search": True}}, True),
        ("lab/small", {"extraBody": {"plugins": [{"id": "web"}]}}, True),
        ("lab/small", {"extraBody": {"plugins": [{"id": "pdf"}]}}, False),
        ("perplexity/sonar", {}, True),
    ],
)
def test_services_that_search(
    context: ToolContext, ref: str, params: dict[str, Any], hidden: bool
) -> None:
    provider, model = ref.split("/")
    apply(
        models={
            "providers": {
                provider: {
                    "baseUrl": "http://127.0.0.1:9/v1",
                    "api": "openai-completions",
                    "apiKey": "sk-x",
                    "models": [{"id": model, "params": params}],
                }
            }
        }
    )
    assert policy_explained(replace(context, model=ref)).facts.provider_search == hidden
