"""The tool gateway: reads and changes the configuration, as far as an agent may."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from agents.config.registry import section
from agents.config.selectors import config_get, document_current
from agents.config.services import config_apply, config_rollback
from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from tools.builtin.gateway import GATEWAY

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "sk-very-secret"
START = {
    "agents": {"list": [{"id": "main", "name": "Main"}, {"id": "ops"}]},
    "models": {"providers": {"lab": {"baseUrl": "https://lab.example/v1", "apiKey": SECRET}}},
    "messages": {"queue": {"mode": "collect"}},
}


async def ignore(partial: ToolResult) -> None:
    """No listener."""


def called(context: ToolContext, action: str, **arguments: Any) -> ToolResult:
    arguments = {"action": action, **arguments}
    return asyncio.run(GATEWAY.execute("1", arguments, context, AbortSignal(), ignore))


def found(context: ToolContext, action: str, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(blocks_text(called(context, action, **arguments).content))
    return answer


def patched(context: ToolContext, patch: Any, **arguments: Any) -> ToolResult:
    base = found(context, "config.get")["hash"]
    return called(context, "config.patch", raw=json.dumps(patch), baseHash=base, **arguments)


@pytest.fixture(autouse=True)
def start() -> None:
    """A configuration with a secret in it."""
    config_apply(text=json.dumps(START))


def test_it_works(context: ToolContext) -> None:
    lookup = found(context, "config.schema.lookup", path="messages.queue.mode")
    assert lookup["schema"]["default"] == "collect"
    assert "protected" not in lookup
    result = patched(context, {"messages": {"queue": {"mode": "followup"}}}, note="asked for")
    assert result.details["changed"]
    assert "is kept as number" in blocks_text(result.content)
    assert section("messages").queue.mode == "followup"
    assert config_get(path="models.providers.lab.baseUrl") == "https://lab.example/v1"
    config_rollback()
    assert section("messages").queue.mode == "collect"


def test_secrets_are_never_shown_and_stay(context: ToolContext) -> None:
    shown = called(context, "config.get")
    assert SECRET not in blocks_text(shown.content)
    whole = found(context, "config.get")
    whole["config"]["messages"]["queue"]["mode"] = "steer"
    raw = json.dumps(whole["config"])
    called(context, "config.apply", raw=raw, baseHash=whole["hash"])
    assert section("messages").queue.mode == "steer"
    assert document_current()["models"]["providers"]["lab"]["apiKey"] == SECRET


def test_a_stale_hash_is_refused(context: ToolContext) -> None:
    stale = found(context, "config.get")["hash"]
    patched(context, {"messages": {"queue": {"mode": "steer"}}})
    raw = json.dumps({"messages": {"queue": {"mode": "followup"}}})
    for base in (stale, "", "nonsense"):
        with pytest.raises(ToolError, match="config.get"):
            called(context, "config.patch", raw=raw, baseHash=base)
    assert section("messages").queue.mode == "steer"


def test_invalid_documents_change_nothing(context: ToolContext) -> None:
    before = config_get()
    for patch, named in (
        ({"messages": {"queue": {"mode": "sometimes"}}}, "messages.queue.mode"),
        ({"mesages": {}}, "mesages"),
    ):
        with pytest.raises(ToolError, match=named):
            patched(context, patch)
    base = found(context, "config.get")["hash"]
    with pytest.raises(ToolError, match="raw"):
        called(context, "config.patch", raw="{ a: ", baseHash=base)
    assert config_get() == before


def test_a_refusal_says_what_and_why(context: ToolContext) -> None:
    patch = {
        "messages": {"queue": {"mode": "steer"}},
        "tools": {"exec": {"applyPatch": {"workspaceOnly": False}}},
    }
    with pytest.raises(ToolError) as refused:
        patched(context, patch)
    assert "tools.exec.applyPatch.workspaceOnly: it decides what agents may do" in str(
        refused.value
    )
    assert section("messages").queue.mode == "collect"
    lookup = found(context, "config.schema.lookup", path="tools.exec.security")
    assert lookup["protected"] == "it decides what agents may do"


def test_a_whole_document_that_leaves_protection_out(context: ToolContext) -> None:
    """Leaving a section out resets it: that is a change as any other."""
    config_apply(text=json.dumps({**START, "tools": {"deny": ["exec"]}}))
    base = found(context, "config.get")["hash"]
    with pytest.raises(ToolError, match="tools.deny"):
        called(context, "config.apply", raw=json.dumps(START), baseHash=base)
    assert config_get(path="tools.deny") == ["exec"]


def test_others_are_refused(context: ToolContext) -> None:
    guest = replace(context, principal=Principal("p2"))
    for action in ("config.get", "config.patch", "restart"):
        with pytest.raises(ToolError, match="owner"):
            called(guest, action)


def test_unknown_actions_and_places(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="config.schema.lookup"):
        called(context, "update.run")
    with pytest.raises(ToolError, match="did you mean"):
        called(context, "config.get", path="message")


def test_a_restart_needs_a_supervisor(context: ToolContext, monkeypatch: Any) -> None:
    monkeypatch.delenv("OPENCLAW_SUPERVISOR_PID", raising=False)
    with pytest.raises(ToolError, match="no supervisor"):
        called(context, "restart")
    config_apply(text=json.dumps({"commands": {"restart": False}}))
    with pytest.raises(ToolError, match="commands.restart"):
        called(context, "restart")
