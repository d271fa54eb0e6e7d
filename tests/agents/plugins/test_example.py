"""The example plugin: it registers one of each kind, works, and goes without a trace."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.core.management import call_command

from agents.config.cache import cache_clear
from agents.config.selectors import document_current
from agents.config.services import config_apply
from agents.context.engine import CONTEXT_ENGINES
from agents.core.abort import AbortSignal
from agents.core.principal import Principal
from agents.core.registry import Registry
from agents.core.tools import Tool, ToolContext
from agents.hooks import HOOKS, HookContext, hook_modify
from agents.memory.backends import MEMORY_BACKENDS
from agents.plugins.discovery import plugins_home
from agents.plugins.loader import plugin_states, plugins_load, plugins_unload
from agents.plugins.sinks import SINKS
from agents.providers.registry import APIS
from agents.providers.wrappers.registry import STREAM_WRAPPERS
from agents.selectors import agent_snapshot
from agents.skills.catalog import skills_forget, skills_of
from agents.skills.sources import PLUGIN_FOLDERS
from channels_app.gateway.registry import METHODS
from tests.agents.plugins.installed import PluginFolder
from tools.registry import TOOL_OPTIONAL, TOOL_PLUGINS, TOOLS, tools_for

EXAMPLE = Path(__file__).parents[3] / "examples" / "notebook_plugin"
REGISTRIES: dict[str, Registry[Any]] = {
    "tool": TOOLS, "provider": APIS, "stream_wrapper": STREAM_WRAPPERS,
    "context_engine": CONTEXT_ENGINES, "memory_backend": MEMORY_BACKENDS,
    "gateway_method": METHODS, "skills": PLUGIN_FOLDERS,
}  # fmt: skip


@pytest.fixture
def folder(packages: PluginFolder) -> Iterator[Path]:
    """The example in the folder of plugins."""
    place = plugins_home() / "notebook_plugin"
    shutil.copytree(EXAMPLE, place, ignore=shutil.ignore_patterns("__pycache__"))
    place.chmod(0o755)
    yield place
    plugins_unload()
    shutil.rmtree(plugins_home())
    shutil.rmtree(Path(settings.OPENCLAW.home) / "notebook", ignore_errors=True)


def start(**document: Any) -> None:
    """A new process with this configuration."""
    config_apply(text=json.dumps(document))
    cache_clear()
    plugins_unload()
    plugins_load()


def enabled(**config: Any) -> dict[str, Any]:
    return {"entries": {"notebook": {"enabled": True, "config": config}}}


def traces() -> list[str]:
    """Everything in this process that has something to do with the plugin."""
    found = [f"{kind} {n}" for kind, one in REGISTRIES.items() for n in one.names()]
    found += [f"optional {name}" for name in TOOL_OPTIONAL]
    found += [f"of {plugin}" for plugin in TOOL_PLUGINS.values()]
    found += [f"hook {one.hook.name} notebook" for one in HOOKS.of_plugin("notebook")]
    found += [f"module {name}" for name in sys.modules]
    return sorted(line for line in found if "notebook" in line and "tests." not in line)


def tool(context: ToolContext, name: str) -> Tool | None:
    return next((tool for tool in tools_for(context) if tool.name == name), None)


def execute(tool: Tool | None, context: ToolContext, **arguments: Any) -> str:
    assert tool is not None

    async def ignore(_partial: Any) -> None:
        return None

    result = asyncio.run(tool.execute("1", arguments, context, AbortSignal(), ignore))
    return str(result.content[0])


def test_it_works(folder: Path, tmp_path: Path) -> None:
    """Every kind that the product takes, used once."""
    start(plugins=enabled(limit=2), tools={"alsoAllow": ["notebook"]})
    (state,) = [one for one in plugin_states() if one.id == "notebook"]
    assert (state.standing, state.conflicts) == ("loaded", ())
    assert {one.kind for one in state.contributions} == set(SINKS.names())
    main = ToolContext("main", "agent:main:main", tmp_path, Principal("p", is_owner=True))
    assert "1 notes" in execute(tool(main, "notebook_add"), main, note="milk")
    other = replace(main, agent_id="ops", session_key="agent:ops:main")
    assert "main" in getattr(tool(main, "notebook_add"), "description", "")
    assert tool(main, "notebook_add") is tool(main, "notebook_add")
    said = asyncio.run(hook_modify("before_prompt_build", {}, HookContext(agent_id="main")))
    assert said == {"appendSystemContext": "Your notebook has 1 notes."}
    found = METHODS.get("notebook.list")
    params = found.params.model_validate({"agent": "main"})
    assert asyncio.run(found.handler(None, params)) == {"agent": "main", "notes": ["milk"]}  # type: ignore[arg-type]
    execute(tool(main, "notebook_clear"), main)
    assert asyncio.run(found.handler(None, params))["notes"] == []  # type: ignore[arg-type]
    assert other.agent_id == "ops"


def test_its_skills(folder: Path) -> None:
    start(plugins=enabled())
    skills_forget()
    found = skills_of(agent_snapshot(slug="main")).find("keep-a-notebook")
    assert found is not None
    assert (found.source, found.folder.parent.name) == ("plugin", "skills")
    start()
    skills_forget()
    assert skills_of(agent_snapshot(slug="main")).find("keep-a-notebook") is None


def test_it_goes_without_a_trace(folder: Path) -> None:
    before = traces()
    assert before == []
    start(plugins=enabled())
    assert len(traces()) > 8
    start()
    assert traces() == []
    assert "notebook" not in json.dumps(document_current())
    out = StringIO()
    call_command("policy", "explain", "--json", stdout=out)
    assert "notebook" not in out.getvalue()


def test_an_optional_tool_is_there_only_where_it_is_named(folder: Path, tmp_path: Path) -> None:
    main = ToolContext("main", "agent:main:main", tmp_path, Principal("p", is_owner=True))
    for rules, there in (
        ({}, False),
        ({"alsoAllow": ["notebook_clear"]}, True),
        ({"alsoAllow": ["notebook"]}, True),
        ({"alsoAllow": ["group:plugins"]}, True),
        ({"allow": ["read"]}, False),
    ):
        start(plugins=enabled(), tools=rules)
        assert (tool(main, "notebook_clear") is not None) is there, rules
    out = StringIO()
    start(plugins=enabled())
    call_command("policy", "explain", "--json", stdout=out)
    rows = {row["name"]: row for row in orjson.loads(out.getvalue())["tools"]}
    assert "optional" in rows["notebook_clear"]["rule"]


def test_it_can_be_installed_as_a_package(packages: PluginFolder) -> None:
    """The entry point of its pyproject.toml names the same module."""
    import tomllib

    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["openclaw.plugins"]
    target = points["notebook"]
    shutil.copytree(EXAMPLE / target, packages.folder / target)
    metadata = packages.folder / "openclaw_notebook-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: openclaw-notebook\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(f"[openclaw.plugins]\nnotebook = {target}\n")
    start(plugins=enabled())
    (state,) = [one for one in plugin_states() if one.id == "notebook"]
    assert (state.standing, state.package) == ("loaded", "openclaw-notebook")
    plugins_unload()
    for name in [name for name in sys.modules if name.startswith(target)]:
        del sys.modules[name]
    assert traces() == []
