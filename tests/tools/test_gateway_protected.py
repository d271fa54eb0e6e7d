"""What an agent may not change in the configuration, and what it may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.config.issues import ConfigReport
from agents.config.selectors import config_get
from agents.config.services import config_apply
from agents.core.errors import OpenClawError, PolicyDenied
from tools.builtin.gateway_config import config_read, config_write
from tools.builtin.gateway_protected import protected_because

pytestmark = pytest.mark.django_db

START = {
    "agents": {"list": [{"id": "main", "name": "Main"}, {"id": "ops"}]},
    "models": {"providers": {"lab": {"baseUrl": "https://lab.example/v1", "apiKey": "sk-lab"}}},
}


@pytest.fixture(autouse=True)
def start() -> None:
    """A configuration with two agents and a provider."""
    config_apply(text=json.dumps(START))


def patched(patch: Any) -> ConfigReport:
    """The patch, merged into the configuration as it is now."""
    base = config_read("")["hash"]
    return config_write(raw=json.dumps(patch), base_hash=base, patch=True, author="test", note="")


OPEN: list[Any] = [
    {"agents": {"list": [{"id": "ops", "name": "Operations"}]}},
    {"tools": {"exec": {"backgroundMs": 5000, "notifyOnExit": False}}},
    {"session": {"reset": {"mode": "idle", "idleMinutes": 30}}},
]


@pytest.mark.parametrize("patch", OPEN, ids=json.dumps)
def test_it_works(patch: dict[str, Any]) -> None:
    assert patched(patch).changed
    assert not patched(patch).changed


PROTECTED: list[Any] = [
    {"tools": {"exec": {"security": "full"}}},
    {"tools": {"exec": {"ask": "off"}}},
    {"tools": {"exec": {"safeBins": ["sh"]}}},
    {"tools": {"exec": {"pathPrepend": ["/tmp/evil"]}}},
    {"tools": {"elevated": {"enabled": True}}},
    {"tools": {"allow": ["*"]}},
    {"tools": {"profile": "full"}},
    {"tools": {"ownerOnly": []}},
    {"tools": {"web": {"fetch": {"allowPrivateNetwork": True}}}},
    {"agents": {"list": [{"id": "main", "tools": {"exec": {"security": "full"}}}]}},
    {"agents": {"list": [{"id": "new", "tools": {"profile": "full"}}]}},
    {"agents": {"ops": {"tools": {"exec": {"ask": "off"}}}}},
    {"agents": {"defaults": {"sandbox": {"mode": "off"}}}},
    {"agents": {"list": [{"id": "main", "sandbox": {"mode": "off"}}]}},
    {"agents": {"defaults": {"elevatedDefault": "full"}}},
    {"agents": {"list": [{"id": "main", "elevatedDefault": "full"}]}},
    {"agents": {"list": [{"id": "main", "skills": ["other"]}]}},
    {"agents": {"defaults": {"skills": ["other"]}}},
    {"session": {"dmScope": "main"}},
    {"agents": {"list": [{"id": "main", "workspace": "/"}]}},
    {"agents": {"list": [{"id": "main", "subagents": {"allowAgents": ["*"]}}]}},
    {"approvals": {"exec": {"enabled": True}}},
    {"gateway": {"auth": {"mode": "none"}}},
    {"gateway": {"bind": "lan"}},
    {"plugins": {"enabled": True, "entries": {"evil": {"enabled": True}}}},
    {"mcp": {"servers": {"evil": {"command": "sh"}}}},
    {"hooks": {"enabled": True, "token": "x"}},
    {"env": {"vars": {"PATH": "/tmp"}}},
    {"auth": {"order": {"openai": ["x"]}}},
    {"bindings": [{"agentId": "main", "match": {"channel": "telegram"}}]},
    {"commands": {"ownerAllowFrom": ["*"]}},
    {"channels": {"telegram": {"allowFrom": ["*"]}}},
    {"channels": {"telegram": {"botToken": "x"}}},
    {"models": {"providers": {"lab": {"baseUrl": "https://evil.example"}}}},
    {"models": {"providers": {"lab": {"apiKey": "x"}}}},
    {"models": {"providers": {"lab": None}}},
    {"session": {"identityLinks": {"ann": ["telegram:1"]}}},
    {"browser": {"enabled": True}},
    {"budgets": [{"limit": 1}]},
    {"secrets": {"providers": {}}},
    {"skills": {"load": {"extraDirs": ["/tmp"]}}},
]


@pytest.mark.parametrize("patch", PROTECTED, ids=json.dumps)
def test_protected_places(patch: dict[str, Any]) -> None:
    """Whether the document would be valid or not: nothing is written."""
    before = config_get()
    with pytest.raises(OpenClawError):
        patched(patch)
    assert config_get() == before


def test_why_is_it_protected() -> None:
    """The places themselves, so that no other fault is taken for protection."""
    for patch in PROTECTED:
        for path in paths(patch):
            assert protected_because(path), path


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The places that a patch means to change, without the ids of items."""
    if isinstance(value, dict) and value:
        items = [(key, each) for key, each in value.items() if key != "id"]
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        items = [(each.get("id", number), each) for number, each in enumerate(value)]
    else:
        return [path]
    return [found for key, each in items for found in paths(each, (*path, key))]


@pytest.mark.parametrize(
    ("before", "patch"),
    [
        ({"tools": {"deny": ["exec"]}}, {"tools": None}),
        ({"tools": {"deny": ["exec"]}}, {"tools": {"deny": None}}),
        (
            {"agents": {"list": [{"id": "ops", "tools": {"deny": ["exec"]}}]}},
            {"agents": {"list": [{"id": "ops", "tools": None}]}},
        ),
    ],
    ids=json.dumps,
)
def test_protection_is_not_taken_away(before: dict[str, Any], patch: dict[str, Any]) -> None:
    config_apply(text=json.dumps({**START, **before}))
    with pytest.raises(PolicyDenied):
        patched(patch)
