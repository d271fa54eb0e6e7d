"""A plugin that notes every event and answers what a test wants, installed as a package."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.hooks.names import HOOK_TABLE
from agents.plugins.loader import plugin_states, plugins_load, plugins_unload
from tests.agents.plugins.installed import PluginFolder, plugin_folder

# Handlers of hooks that wait are coroutine functions, so that they are called in a known order.
SOURCE = """
import asyncio

id = "recorder"
EVENTS = []
ANSWERS = {}

def register(api):
    for name in api.config["synchronous"]:
        api.on(name, plain(name))
    for name in api.config["others"]:
        api.on(name, waiting(name))

def answer(name, event, ctx):
    EVENTS.append((name, event, ctx))
    found = ANSWERS.get(name)
    return found(event) if callable(found) else found

def plain(name):
    def recorder(event, ctx):
        return answer(name, event, ctx)
    return recorder

def waiting(name):
    async def recorder(event, ctx):
        found = answer(name, event, ctx)
        return await found if asyncio.iscoroutine(found) else found
    return recorder
"""


class Recorder:
    """The installed plugin: what it saw, and what it is to answer."""

    def __init__(self, packages: PluginFolder) -> None:
        self._module = packages.install("recorder", SOURCE)

    def load(self, names: Iterable[str] = (), **hooks: Any) -> None:
        """Enables and loads it for the hooks `names`, all of them by default."""
        wanted = list(names) or list(HOOK_TABLE)
        synchronous = [name for name in wanted if HOOK_TABLE[name].kind == "synchronous"]
        others = [name for name in wanted if name not in synchronous]
        entry = {
            "enabled": True,
            "config": {"synchronous": synchronous, "others": others},
            "hooks": {"allowConversationAccess": True, **hooks},
        }
        config_apply(text=json.dumps({"plugins": {"entries": {"recorder": entry}}}))
        cache_clear()
        plugins_load()
        assert [state.reason for state in plugin_states() if state.id == "recorder"] == [""]

    def answers(self, **answers: Any) -> None:
        """What handlers return from now on: a mapping, or a function of the event."""
        sys.modules[self._module].ANSWERS.update(answers)

    @property
    def names(self) -> list[str]:
        """The hooks in the order of their calls."""
        return [name for name, _, _ in self._events]

    def events(self, name: str) -> list[dict[str, Any]]:
        """What the handler of one hook was told, call by call."""
        return [event for hook, event, _ in self._events if hook == name]

    def contexts(self, name: str) -> list[Any]:
        """Where it was called."""
        return [ctx for hook, _, ctx in self._events if hook == name]

    @property
    def _events(self) -> list[tuple[str, dict[str, Any], Any]]:
        found: list[tuple[str, dict[str, Any], Any]] = sys.modules[self._module].EVENTS
        return list(found)


@contextmanager
def recorder_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    """The plugin, installed and not loaded; nothing of it is left afterwards."""
    plugins_unload()
    packages = plugin_folder(folder, monkeypatch)
    try:
        yield Recorder(packages)
    finally:
        plugins_unload()
        packages.clear()
        cache_clear()
