"""Plugins in folders: to lie there is not enough, and not every folder is trusted."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply, config_validate
from agents.plugins.discovery import plugins_home, plugins_installed
from agents.plugins.loader import plugin_states, plugins_load, plugins_unload
from agents.plugins.state import PluginState
from tests.agents.plugins.installed import PluginFolder
from tools.registry import TOOLS

SOURCE = """
import pathlib
pathlib.Path(__file__).with_name("ran").touch()
id = {id!r}

class Tool:
    name, label, description = {tool!r}, "Echo", "Says it again."
    parameters = {{"type": "object", "properties": {{}}}}
    repeatable, execution = True, "parallel"
    async def execute(self, call_id, arguments, context, signal, on_update):
        return None

def register(api):
    api.register_tool(Tool())
    api.on("agent_end", lambda event, ctx: None)
"""
SCHEMA = {
    "type": "object",
    "properties": {"limit": {"type": "integer"}},
    "additionalProperties": False,
}


class Folders:
    """Where plugins are dropped."""

    def drop(self, name: str, *, root: Path | None = None, tool: str = "", **manifest: Any) -> Path:
        """Puts a plugin into the folder of plugins, or into `root`."""
        place = (root or plugins_home()) / name
        place.mkdir(parents=True, mode=0o755)
        text = json.dumps({"id": name, **manifest})
        (place / "openclaw.plugin.json").write_text(text)
        module = manifest.get("module") or manifest.get("id", name).replace("-", "_")
        source = SOURCE.format(id=manifest.get("id", name), tool=tool or f"{name}_echo")
        (place / f"{module}.py").write_text(source)
        return place

    def start(self, **plugins: Any) -> dict[str, PluginState]:
        """A new process with this section; how the plugins stand."""
        config_apply(text=json.dumps({"plugins": plugins}))
        cache_clear()
        plugins_unload()
        plugins_load()
        return {state.id: state for state in plugin_states()}


@pytest.fixture
def folders(packages: PluginFolder) -> Iterator[Folders]:
    yield Folders()
    plugins_unload()
    shutil.rmtree(plugins_home(), ignore_errors=True)


def on(*names: str) -> dict[str, Any]:
    return {"entries": {name: {"enabled": True} for name in names}}


def test_it_works(folders: Folders, tmp_path: Path) -> None:
    """One in the folder of plugins, one elsewhere; nothing is put on the path of imports."""
    folders.drop("near", version="2.0")
    folders.drop("far", root=tmp_path / "more")
    path = list(sys.path)
    states = folders.start(load={"paths": [str(tmp_path / "more")]}, **on("near", "far"))
    assert {name: state.standing for name, state in states.items()} == {
        "near": "loaded", "far": "loaded",
    }  # fmt: skip
    assert states["near"].version == "2.0"
    assert "near_echo" in TOOLS
    assert "far_echo" in TOOLS
    assert sys.path == path
    folders.start()
    assert "near_echo" not in TOOLS


def test_what_is_dropped_in_is_not_run(folders: Folders) -> None:
    """Neither at once nor after a restart, whatever it calls itself."""
    folders.drop("good")
    assert folders.start(**on("good"))["good"].standing == "loaded"
    evil = folders.drop("evil")
    twin = folders.drop("twin", id="good")
    plugins_load()
    assert not (evil / "ran").exists()
    states = folders.start(**on("good"))
    assert states["evil"].standing == "disabled"
    assert "plugins.entries.evil.enabled" in states["evil"].reason
    assert not (evil / "ran").exists()
    assert not (twin / "ran").exists()


def test_a_package_is_not_replaced_by_a_folder(folders: Folders, packages: PluginFolder) -> None:
    packages.install("audit", "id = 'audit'\ndef register(api):\n    pass\n")
    place = folders.drop("audit")
    assert folders.start(**on("audit"))["audit"].package == "plugin_audit"
    assert not (place / "ran").exists()


def _writable(place: Path) -> None:
    place.chmod(0o777)


def _writable_file(place: Path) -> None:
    (place / "data.txt").touch()
    (place / "data.txt").chmod(0o666)


def _link_out(place: Path) -> None:
    (place / "secrets").symlink_to("/etc")


def _linked(place: Path) -> None:
    real = place.parent.parent / "elsewhere"
    place.rename(real)
    place.symlink_to(real)


def _broken(place: Path) -> None:
    (place / "openclaw.plugin.json").write_text("{")


def _unknown_key(place: Path) -> None:
    (place / "openclaw.plugin.json").write_text('{"id": "bad", "nmae": "x"}')


def _bad_schema(place: Path) -> None:
    text = '{"id": "bad", "configSchema": {"type": "no such type"}}'
    (place / "openclaw.plugin.json").write_text(text)


def _no_module(place: Path) -> None:
    (place / "bad.py").unlink()


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_writable, "everybody can write to bad"),
        (_writable_file, "everybody can write to data.txt"),
        (_link_out, "leads out of its folder"),
        (_linked, "leads out of the folder of plugins"),
        (_broken, "cannot be read"),
        (_unknown_key, "did you mean name?"),
        (_bad_schema, "configSchema is invalid"),
        (_no_module, "neither bad.py nor bad/__init__.py"),
    ],
)
def test_what_cannot_be_trusted_is_refused(folders: Folders, spoil: Any, word: str) -> None:
    place = folders.drop("bad")
    spoil(place)
    try:
        states = folders.start(**on("bad"))
        assert states["bad"].standing == "failed"
        assert word in states["bad"].reason
        assert not (place / "ran").exists()
        assert "bad_echo" not in TOOLS
    finally:
        shutil.rmtree(place.parent.parent / "elsewhere", ignore_errors=True)


def test_settings_are_checked_by_the_plugins_own_schema(folders: Folders) -> None:
    folders.drop("strict", configSchema=SCHEMA)
    entry = {"enabled": True, "config": {"limit": "many"}}
    with pytest.raises(ConfigInvalid, match=r"plugins\.entries\.strict\.config\.limit"):
        folders.start(entries={"strict": entry})
    states = folders.start(entries={"strict": {"enabled": True, "config": {"limit": 3}}})
    assert states["strict"].standing == "loaded"
    # One that nobody enabled says nothing about the document.
    assert config_validate(
        text=json.dumps({"plugins": {"entries": {"strict": {"config": {"limit": "many"}}}}})
    ).ok


@pytest.mark.parametrize(
    ("name", "word"), [("read", "tool of the product"), ("mcp-files", "MCP servers")]
)
def test_ids_that_rules_would_confuse_are_refused(folders: Folders, name: str, word: str) -> None:
    place = folders.drop(name, module="module", tool="harmless")
    states = folders.start(**on(name))
    assert states[name].standing == "failed"
    assert word in states[name].reason
    assert not (place / "ran").exists()


@pytest.mark.parametrize("tool", ["read", "Exec", "bash", "first_echo", "FIRST_ECHO", "message"])
def test_a_name_that_is_taken_costs_only_the_tool(folders: Folders, tool: str) -> None:
    """Core wins, then the first plugin; the conflict is listed and the rest of it works."""
    folders.drop("first")
    folders.drop("second", tool=tool)
    states = folders.start(**on("first", "second"))
    assert states["second"].standing == "loaded"
    assert tool in states["second"].conflicts[0]
    assert states["second"].hooks == ("agent_end",)
    assert states["second"].contributions == ()
    assert states["first"].conflicts == ()


def test_listing_imports_nothing(folders: Folders) -> None:
    place = folders.drop("quiet")
    assert [found.id for found in plugins_installed()] == ["quiet"]
    assert not (place / "ran").exists()
