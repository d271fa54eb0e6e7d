"""The plugin of the documentation works as it stands there."""

from __future__ import annotations

import asyncio
import json

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.hooks import HookContext, hook_modify
from agents.hooks.names import HOOK_TABLE
from agents.plugins.loader import plugin_states, plugins_load
from tests.agents.plugins.installed import PluginFolder
from tests.docs.pages import code_blocks, code_words, page


def test_it_works(packages: PluginFolder) -> None:
    """It blocks a word and adds to the prompt."""
    (source,) = code_blocks(page("docs/plugins.md"), "python")
    packages.install("audit", source)
    entry = {"enabled": True, "config": {"words": ["password"]}}
    load(entry)
    blocked = {"toolName": "exec", "params": {"command": "cat password.txt"}}
    ctx = HookContext(session_key="agent:main:main")
    allowed = {**blocked, "params": {}}
    assert asyncio.run(hook_modify("before_tool_call", blocked, ctx))["block"] is True
    assert asyncio.run(hook_modify("before_tool_call", allowed, ctx)) == {}
    assert asyncio.run(hook_modify("before_prompt_build", {}, ctx)) == {
        "appendSystemContext": "This is session agent:main:main."
    }


def load(entry: dict[str, object]) -> None:
    """Enables and loads the plugin."""
    config_apply(text=json.dumps({"plugins": {"entries": {"audit": entry}}}))
    cache_clear()
    plugins_load()
    assert [state.standing for state in plugin_states()] == ["loaded"]


def test_every_hook_is_documented() -> None:
    """By its name."""
    assert set(HOOK_TABLE) - code_words(page("docs/plugins.md")) == set()
