"""Which plugins are loaded, and what becomes of broken ones."""

from __future__ import annotations

import json
import sys
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.hooks import HOOKS, hooks_present
from agents.plugins.loader import plugin_states, plugins_load, plugins_unload
from agents.plugins.state import PluginState
from agents.providers.registry import APIS
from agents.providers.wrappers.registry import STREAM_WRAPPERS
from tests.agents.plugins.installed import PluginFolder
from tools.registry import TOOLS

LISTENER = """
id = "listens"
name = "A listener"

def register(api):
    @api.on("agent_end", priority=5)
    def ended(event, ctx):
        pass
    api.on("llm_input", lambda event, ctx: None, timeout_seconds=3)
"""
EVERYTHING = """
class Tool:
    name, label, description = "echo", "Echo", "Says it again."
    parameters = {"type": "object", "properties": {}}
    repeatable, execution = True, "parallel"
    async def execute(self, call_id, arguments, context, signal, on_update):
        raise NotImplementedError

class Plugin:
    id = "all-kinds"
    version = "9.9"
    def register(self, api):
        api.register_tool(Tool())
        api.register_provider("all-kinds/chat", "plugin_all_kinds:client")
        api.register_stream_wrapper("all-kinds", lambda stream, context: stream)
        api.register_context_engine("all-kinds", object)
        api.on("gateway_start", lambda event, ctx: None)
        self.config = api.config

def client(model):
    raise NotImplementedError

plugin = Plugin()
"""


def configure(**plugins: Any) -> None:
    """Sets the plugins section."""
    config_apply(text=json.dumps({"plugins": plugins}))
    cache_clear()


def load() -> dict[str, PluginState]:
    """Loads as a new process does; how the plugins stand."""
    plugins_unload()
    plugins_load()
    return {state.id: state for state in plugin_states()}


def test_it_works(packages: PluginFolder) -> None:
    """An enabled plugin is loaded and listens; its state tells what it does."""
    packages.install("listens", LISTENER)
    configure(entries={"listens": {"enabled": True}})
    state = load()["listens"]
    assert (state.standing, state.name, state.version) == ("loaded", "A listener", "1.2.3")
    assert state.hooks == ("agent_end", "llm_input")
    assert [one.timeout_seconds for one in HOOKS.of_plugin("listens")] == [30.0, 3.0]


def test_being_installed_is_not_enough(packages: PluginFolder) -> None:
    """A package that appears is not even imported."""
    module = packages.install("listens", LISTENER)
    state = load()["listens"]
    assert state.standing == "disabled"
    assert "plugins.entries.listens.enabled" in state.reason
    assert module not in sys.modules
    assert not hooks_present("agent_end")


def test_a_file_in_a_folder_is_nothing(packages: PluginFolder) -> None:
    """Without the metadata of a package there is no plugin, whatever the settings say."""
    (packages.folder / "listens.py").write_text(LISTENER, encoding="utf-8")
    configure(entries={"listens": {"enabled": True}}, load={"paths": [str(packages.folder)]})
    assert load()["listens"].standing == "missing"
    assert "listens" not in sys.modules


# The section, how the plugin stands, a word of the reason.
POLICIES: list[tuple[dict[str, Any], str, str]] = [
    ({"allow": ["listens"]}, "loaded", ""),
    ({"allow": []}, "disabled", "plugins.allow"),
    ({"allow": ["other"], "entries": {"listens": {"enabled": True}}}, "disabled", "plugins.allow"),
    ({"allow": ["listens"], "entries": {"listens": {"enabled": False}}}, "disabled", "enabled"),
    ({"allow": ["listens"], "deny": ["listens"]}, "disabled", "plugins.deny"),
    ({"entries": {"listens": {"enabled": True}}, "enabled": False}, "disabled", "plugins.enabled"),
    ({"entries": {"listens": {}}}, "disabled", "not enabled"),
]


@pytest.mark.parametrize(("section", "standing", "word"), POLICIES)
def test_who_is_loaded(
    packages: PluginFolder, section: dict[str, Any], standing: str, word: str
) -> None:
    """The allow list, the deny list, the switch of one and of all."""
    packages.install("listens", LISTENER)
    configure(**section)
    state = load()["listens"]
    assert (state.standing, word in state.reason) == (standing, True)
    assert hooks_present("agent_end") is (standing == "loaded")


BROKEN: list[tuple[str, str]] = [
    ("import nothing_like_this", "ModuleNotFoundError"),
    ("syntax error", "SyntaxError"),
    ("import sys; sys.exit(1)", "SystemExit"),
    ("id = 'broken'", "no function register(api)"),
    ("id = 'other'\ndef register(api): pass", "the plugin's id is 'other'"),
    ("id = 'broken'\ndef register(api): 1 / 0", "ZeroDivisionError"),
    (
        "id = 'broken'\ndef register(api): api.on('agent_ends', print)",
        "Did you mean 'agent_end'",
    ),
    (
        "id = 'broken'\ndef register(api):\n"
        "    api.on('llm_output', print)\n    api.register_provider('openai-completions', print)",
        "must be called broken/",
    ),
    (
        "id = 'broken'\ndef register(api):\n"
        "    api.on('llm_output', print)\n    api.register_tool(object())",
        "needs a name",
    ),
    (
        "id = 'broken'\ndef register(api):\n"
        "    api.on('llm_output', print)\n    api.register_stream_wrapper('headers', print)",
        "exists already",
    ),
]


@pytest.mark.parametrize(("source", "word"), BROKEN)
def test_a_broken_plugin_is_listed_and_the_rest_works(
    packages: PluginFolder, source: str, word: str
) -> None:
    """Nothing of it is left behind, and the next one is loaded."""
    packages.install("broken", source)
    packages.install("listens", LISTENER)
    configure(allow=["broken", "listens"])
    states = load()
    assert states["broken"].standing == "failed"
    assert word in states["broken"].reason
    assert not hooks_present("llm_output")
    assert states["listens"].standing == "loaded"


def test_every_kind_of_contribution(packages: PluginFolder) -> None:
    """An object as the entry point; all of it is taken out again."""
    packages.install("all-kinds", EVERYTHING, target="plugin")
    configure(entries={"all-kinds": {"enabled": True, "config": {"deep": {"n": 1}}}})
    state = load()["all-kinds"]
    assert (state.standing, state.version, state.reason) == ("loaded", "9.9", "")
    assert [(one.kind, one.name) for one in state.contributions] == [
        ("tool", "echo"),
        ("provider", "all-kinds/chat"),
        ("stream_wrapper", "all-kinds"),
        ("context_engine", "all-kinds"),
    ]
    assert sys.modules["plugin_all_kinds"].plugin.config == {"deep": {"n": 1}}
    assert "echo" in TOOLS
    assert "all-kinds/chat" in APIS
    assert "all-kinds" in STREAM_WRAPPERS
    plugins_unload()
    assert "echo" not in TOOLS
    assert "all-kinds/chat" not in APIS
    assert "all-kinds" not in STREAM_WRAPPERS
    assert not hooks_present("gateway_start")


def test_what_is_registered_later_is_refused(packages: PluginFolder) -> None:
    """The state says all there is: nothing can be added behind its back."""
    packages.install("late", "id = 'late'\ndef register(api): late['api'] = api\nlate = {}")
    configure(entries={"late": {"enabled": True}})
    load()
    with pytest.raises(ValueError, match="only within register"):
        sys.modules["plugin_late"].late["api"].on("agent_end", print)


def test_a_change_takes_effect_with_the_next_start(packages: PluginFolder) -> None:
    """Not while the process runs."""
    packages.install("listens", LISTENER)
    load()
    configure(entries={"listens": {"enabled": True}})
    plugins_load()
    states = {state.id: state for state in plugin_states()}
    assert states["listens"].reason == "enabled, and loaded by the next start"
    assert load()["listens"].standing == "loaded"


def test_the_command(packages: PluginFolder) -> None:
    """One line a plugin, or JSON."""
    packages.install("broken", "1 / 0")
    packages.install("listens", LISTENER)
    configure(allow=["broken", "listens", "absent"])
    plain, as_json = StringIO(), StringIO()
    call_command("plugins", stdout=plain)
    assert plain.getvalue().splitlines() == [
        "broken   1.2.3  failed   ZeroDivisionError: division by zero",
        "listens  1.2.3  loaded   hooks: agent_end, llm_input",
        "absent   -      missing  no installed package or folder offers it",
    ]
    call_command("plugins", "--json", stdout=as_json)
    rows = json.loads(as_json.getvalue())
    assert [(row["id"], row["state"]) for row in rows] == [
        ("broken", "failed"),
        ("listens", "loaded"),
        ("absent", "missing"),
    ]
