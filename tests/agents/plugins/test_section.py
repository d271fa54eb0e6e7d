"""The `plugins` section: what it refuses, what it warns of, what a plugin may do by it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agents.config.issues import Issue
from agents.config.sections.plugins_schema import PluginEntry
from agents.config.services import config_validate
from agents.plugins.loader import rights_of
from tests.agents.plugins.installed import PluginFolder


def report(**plugins: Any) -> tuple[list[str], list[str]]:
    """Errors and warnings of a document with this section."""
    found = config_validate(text=json.dumps({"plugins": plugins}))

    def lines(issues: Sequence[Issue]) -> list[str]:
        return [str(issue).removeprefix("line 1: ") for issue in issues]

    return lines(found.errors), lines(found.warnings)


def test_it_works(packages: PluginFolder) -> None:
    """A whole entry of an installed plugin."""
    packages.install("audit", "id = 'audit'")
    hooks = {
        "timeoutMs": 2000,
        "timeouts": {"agent_end": 600_000},
        "allowPromptInjection": False,
        "allowConversationAccess": True,
    }
    assert report(entries={"audit": {"enabled": True, "config": {"x": 1}, "hooks": hooks}}) == (
        [],
        [],
    )


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"timeouts": {"agent_ends": 5}}, "Did you mean 'agent_end'?"),
    ({"timeoutMs": 600_001}, "600000"),
    ({"timeoutMs": 0}, "greater than or equal to 1"),
    ({"timeouts": {"agent_end": 600_001}}, "600000"),
    ({"allowPromptInjections": True}, "did you mean allowPromptInjection?"),
]


@pytest.mark.parametrize(("hooks", "word"), WRONG)
def test_mistakes_are_named(db: None, hooks: dict[str, Any], word: str) -> None:
    """With their place."""
    errors, _ = report(entries={"audit": {"hooks": hooks}})
    assert len(errors) == 1
    assert "plugins.entries.audit.hooks" in errors[0]
    assert word in errors[0]


def test_what_has_no_effect_is_warned_of(packages: PluginFolder) -> None:
    """Not installed, not allowed, denied."""
    packages.install("audit", "id = 'audit'")
    entries = {name: {"enabled": True} for name in ("audit", "absent")}
    assert report(entries=entries)[1] == [
        "plugins.entries.absent.enabled: no installed package or folder offers the plugin absent"
    ]
    assert report(entries=entries, allow=["absent"])[1] == [
        "plugins.allow[0]: no installed package or folder offers the plugin absent",
        "plugins.entries.audit.enabled: has no effect: plugins.allow does not name audit",
    ]
    assert report(entries={"audit": {"enabled": True}}, deny=["audit"])[1] == [
        "plugins.entries.audit.enabled: has no effect: plugins.deny names audit"
    ]


def test_rights_by_default() -> None:
    """Prompts may be added to, conversations may not be read."""
    rights = rights_of(PluginEntry())
    assert (rights.prompt_injection, rights.conversation_access) == (True, False)
    assert (rights.seconds, dict(rights.seconds_by_hook), dict(rights.config)) == (None, {}, {})
