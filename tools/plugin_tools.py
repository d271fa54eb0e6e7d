"""Tools that plugins bring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any

from agents.plugins.sinks import Undo, registry_sink
from tools.mcp.names import PREFIX
from tools.policy.facts import OWNER_ONLY
from tools.policy.names import ALIASES
from tools.registry import TOOL_PLUGINS, TOOLS

# What every model service takes as the name of a function.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


def tool_take(plugin: str, name: str, tool: Any) -> Undo:
    """Adds a plugin's tool behind the product's own. Raises ValueError that names what is wrong."""
    if not _NAME.match(name):
        raise ValueError(
            f"The tool name {name!r} must be 1 to 64 letters, digits, hyphens or underscores."
        )
    if name.lower() in OWNER_ONLY or name.lower() in ALIASES:
        raise ValueError(f"The tool name {name!r} is kept for a tool of the product.")
    if name.lower().startswith(PREFIX):
        raise ValueError(f"The tool name {name!r} is kept for a tool of an MCP server.")
    if problem := _problem(tool):
        raise ValueError(f"The tool {name!r} cannot be used: {problem}.")
    undo = registry_sink(TOOLS)(plugin, name, tool)
    TOOL_PLUGINS[name] = plugin

    def leave() -> None:
        TOOL_PLUGINS.pop(name, None)
        undo()

    return leave


def _problem(tool: Any) -> str:
    for attribute in ("label", "description"):
        if not isinstance(getattr(tool, attribute, None), str):
            return f"{attribute} must be a text"
    parameters = getattr(tool, "parameters", None)
    if not isinstance(parameters, Mapping) or parameters.get("type") != "object":
        return "parameters must be a JSON Schema of type object"
    if not isinstance(getattr(tool, "repeatable", None), bool):
        return "repeatable must be true or false"
    if getattr(tool, "execution", None) not in ("parallel", "sequential"):
        return "execution must be 'parallel' or 'sequential'"
    if not iscoroutinefunction(getattr(tool, "execute", None)):
        return "execute must be a coroutine function"
    return ""
