"""Two hundred tools from where tools really come: three plugins and two MCP servers."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ("crm", "jira", "wiki")
SERVERS = ("files", "maps")
# Tools of each plugin; a server of the kind "many" has as many.
EACH = 40
_PROGRAM = "tests.tools.mcp.servers.over_stdio"
_SOURCE = """
from agents.core.tools import ToolResult

id = {id!r}

class Tool:
    repeatable, execution = True, "parallel"
    description = "Does what its name says."
    parameters = {{"type": "object", "properties": {{"text": {{"type": "string"}}}}}}

    def __init__(self, name):
        self.name = self.label = name

    async def execute(self, call_id, arguments, context, signal, on_update):
        return ToolResult.text("done")

def register(api):
    for number in range({each}):
        verb = ("read", "write", "delete", "list")[number % 4]
        api.register_tool(Tool(f"{{id}}_{{verb}}_{{number}}"))
    api.register_tool_factory(f"{{id}}_made", lambda context: Tool(f"{{id}}_made"))
"""


def document() -> dict[str, Any]:
    """What an administrator writes to have them."""
    server = {"command": sys.executable, "args": ["-m", _PROGRAM, "many"], "cwd": str(ROOT)}
    return {
        "plugins": {"entries": {name: {"enabled": True} for name in PLUGINS}},
        "mcp": {"servers": dict.fromkeys(SERVERS, server)},
    }


@contextmanager
def many_tools() -> Iterator[int]:
    """Installs and loads them; nothing of them is left. The number of their tools."""
    from agents.config.cache import cache_clear
    from agents.plugins.discovery import plugins_home
    from agents.plugins.loader import plugins_load, plugins_unload
    from tools.mcp.hub import hub
    from tools.mcp.settings import mcp_settings
    from tools.mcp.sync import mcp_begin, mcp_end, mcp_sync
    from tools.registry import TOOL_PLUGINS

    for name in PLUGINS:
        _drop(plugins_home() / name)
    cache_clear()
    plugins_unload()
    plugins_load()
    mcp_begin()
    try:
        for one in mcp_settings().servers.values():
            hub().discover(one).result(120)
        cache_clear()
        mcp_sync()
        yield len(TOOL_PLUGINS)
    finally:
        mcp_end()
        plugins_unload()
        for name in PLUGINS:
            shutil.rmtree(plugins_home() / name)


def _drop(place: Path) -> None:
    place.mkdir(parents=True, mode=0o755)
    (place / "openclaw.plugin.json").write_text(json.dumps({"id": place.name}))
    (place / f"{place.name}.py").write_text(_SOURCE.format(id=place.name, each=EACH))
