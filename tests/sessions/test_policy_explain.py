"""`manage.py policy explain`: every tool, and the rule that removed it."""

from __future__ import annotations

from io import StringIO
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from sessions.models import Person, Session
from sessions.people import owner_ensure
from tools.mcp.settings import mcp_settings
from tools.mcp.store import catalogue_store

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rules(db: None) -> None:
    cache_clear()
    config_apply(
        text=orjson.dumps(
            {
                "tools": {
                    "deny": ["edti"],
                    "toolsBySender": {"username:eve": {"deny": ["read"]}},
                    "byProvider": {"rehearsal": {"deny": ["apply_patch"]}},
                },
                "agents": {"list": [{"id": "main"}, {"id": "ops", "tools": {"deny": ["w*e"]}}]},
                "channels": {"discord": {"groups": {"42": {"tools": {"allow": ["read"]}}}}},
            }
        )
    )


def explain(*arguments: str) -> str:
    out = StringIO()
    call_command("policy", "explain", *arguments, stdout=out)
    return out.getvalue()


def found(*arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = orjson.loads(explain("--json", *arguments))
    rows = answer["tools"]
    assert all(row["kept"] or row["rule"] for row in rows)
    return {**answer, "tools": {row["name"]: row for row in rows}}


def rule(name: str, *arguments: str) -> tuple[int, str] | None:
    row = found(*arguments)["tools"][name]
    return None if row["kept"] else (row["layer"], row["rule"])


def test_it_works() -> None:
    text = explain("--agent", "ops")
    assert "owner has" in text
    assert "Model: rehearsal/rehearsal" in text
    assert "read" in text
    assert "removed  5 agent  (agents.list.ops.tools.deny: w*e)" in text
    assert "Note: tools.deny: edti means no tool that is known here. Did you mean edit?" in text


def test_as_json() -> None:
    answer = found()
    assert answer["agent"] == "main"
    assert answer["sender"] == {"name": "owner", "owner": True}
    assert answer["tools"]["exec"] == {"name": "exec", "kept": True}
    assert answer["tools"]["apply_patch"]["layerName"] == "global provider"
    layer = next(layer for layer in answer["layers"] if layer["layer"] == 4)
    assert layer == {
        "layer": 4, "name": "global provider", "place": "tools.byProvider.rehearsal",
        "allow": [], "deny": ["apply_patch"], "removed": 1,
    }  # fmt: skip


def test_tools_that_are_missing_for_one_reason_are_counted_once() -> None:
    (layer,) = [layer for layer in found()["layers"] if "toolSearch" in layer["place"]]
    assert layer["removed"] == 3
    assert sorted(layer["deny"]) == ["tool_call", "tool_describe", "tool_search"]


def test_servers_whose_tools_are_not_there() -> None:
    entry = {"command": "/no/such/program"}
    servers = dict.fromkeys(("asked", "new"), entry) | {"off": {**entry, "enabled": False}}
    config_apply(text=orjson.dumps({"mcp": {"servers": servers}}))
    mark = mcp_settings().servers["asked"].mark
    catalogue_store(server="asked", mark=mark, problem="there is no program")
    cache_clear()
    assert found()["notes"] == [
        "The MCP server asked cannot be used: there is no program.",
        "The MCP server new was not asked for its tools yet; the next turn asks.",
    ]


def test_people_and_strangers() -> None:
    member = Person.objects.create(name="Bo")
    assert rule("exec", "--sender", "bo") == (0, "tools.ownerOnly: exec")
    assert rule("exec", "--sender", f"id:{member.pk}") == (0, "tools.ownerOnly: exec")
    assert rule("exec", "--sender", owner_ensure().pk) is None
    stranger = "username:Eve"
    assert rule("read", "--sender", stranger) == (
        7,
        'tools.toolsBySender["username:eve"].deny: read',
    )
    assert found("--sender", stranger)["sender"] == {"name": "username:Eve", "owner": False}
    Person.objects.create(name="BO")
    with pytest.raises(CommandError, match="Several people are called bo"):
        explain("--sender", "bo")


def test_sessions() -> None:
    member = Person.objects.create(name="Bo")
    Session.objects.create(key="agent:ops:web:1", agent_slug="ops", owner=member)
    answer = found("--session", "agent:ops:web:1")
    assert (answer["agent"], answer["sender"]["name"]) == ("ops", "Bo")
    room = found("--session", "agent:main:discord:group:42")
    assert (room["channel"], room["tools"]["write"]["rule"]) == (
        "discord",
        'channels.discord.groups["42"].tools.allow does not name it',
    )
    assert rule("write", "--session", "agent:main:discord:group:43") is None


def test_channels_and_sandboxes() -> None:
    assert found("--channel", "Voice")["channel"] == "voice"
    assert rule("read", "--channel", "node") == (
        0,
        "what the channel node can show does not name it",
    )
    assert rule("read", "--sandboxed") is None
    assert found("--sandboxed")["sandboxed"]


def test_models() -> None:
    assert rule("apply_patch", "--model", "rehearsal/rehearsal") == (
        4,
        "tools.byProvider.rehearsal.deny: apply_patch",
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--agent", "opz"), "Did you mean ops?"),
        (("--session", "agent:ops:main", "--agent", "main"), "belongs to the agent ops"),
        (("--session", "agent:"), "malformed"),
        (("--sender", "nobody"), "There is no person nobody."),
        (("--sender", "mail:x"), "There is no person mail:x."),
        (("--model", "nowhere/x"), "no provider nowhere"),
    ],
)
def test_what_is_unknown(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words.replace("?", r"\?")):
        explain(*arguments)
