"""`manage.py plugins info|enable|disable`."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.config.cache import cache_clear
from agents.config.selectors import document_current
from agents.config.services import config_apply
from agents.models import ConfigRevision
from agents.plugins.loader import plugins_unload
from tests.agents.plugins.installed import PluginFolder

SOURCE = "id = 'audit'\ndef register(api):\n    api.on('agent_end', print)\n"


def run(*arguments: str) -> str:
    out = StringIO()
    cache_clear()
    plugins_unload()
    call_command("plugins", *arguments, stdout=out)
    return out.getvalue().strip()


def plugins() -> dict[str, Any]:
    found: dict[str, Any] = document_current().get("plugins", {})
    return found


def test_it_works(packages: PluginFolder) -> None:
    packages.install("audit", SOURCE)
    assert run("enable", "audit") == "audit is enabled; restart the gateway."
    assert plugins() == {"entries": {"audit": {"enabled": True}}}
    assert run("enable", "audit") == "audit is enabled already."
    assert "state: loaded" in run("info", "audit").splitlines()
    assert json.loads(run("--json", "info", "audit"))["hooks"] == ["agent_end"]
    assert run("disable", "audit") == "audit is disabled; restart the gateway."
    assert "audit  1.2.3  disabled" in run("list")
    revision = ConfigRevision.objects.first()
    assert revision is not None
    assert revision.note == "plugins disable audit"


def test_settings_and_other_sections_stay(packages: PluginFolder) -> None:
    packages.install("audit", SOURCE)
    before = {
        "plugins": {"allow": [], "entries": {"audit": {"config": {"words": ["x"]}}}},
        "mcp": {"servers": {"srv": {"command": "python3", "env": {"API_KEY": "s3cret"}}}},
    }
    config_apply(text=json.dumps(before))
    run("enable", "audit")
    assert plugins()["allow"] == ["audit"]
    assert plugins()["entries"]["audit"] == {"config": {"words": ["x"]}, "enabled": True}
    assert document_current()["mcp"] == before["mcp"]


def test_what_cannot_be_enabled(packages: PluginFolder) -> None:
    packages.install("audit", SOURCE)
    with pytest.raises(CommandError, match=r"no plugin audti here; did you mean audit\?"):
        run("enable", "audti")
    with pytest.raises(CommandError, match="no plugin nobody; there are: audit"):
        run("info", "nobody")
    config_apply(text=json.dumps({"plugins": {"deny": ["audit"]}}))
    with pytest.raises(CommandError, match=r"plugins\.deny names audit"):
        run("enable", "audit")
    assert plugins() == {"deny": ["audit"]}
