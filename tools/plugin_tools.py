"""Tools that plugins bring."""

from __future__ import annotations

import re
from typing import Any

from agents.plugins.api import ToolOffer
from agents.plugins.sinks import NameTakenError, Undo, registry_sink
from tools.mcp.names import PREFIX
from tools.plugin_factories import FactoryTool
from tools.plugin_shape import tool_problem
from tools.policy.facts import OWNER_ONLY
from tools.policy.names import ALIASES, CORE_NAMES
from tools.registry import TOOL_OPTIONAL, TOOL_PLUGINS, TOOLS

# What every model service takes as the name of a function.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


def tool_take(plugin: str, name: str, thing: Any) -> Undo:
    """Adds a plugin's tool, or what makes one, behind the product's own.

    Raises NameTakenError when the name is somebody else's, whatever the case of its letters, and
    ValueError that names what is wrong.
    """
    offer = thing if isinstance(thing, ToolOffer) else ToolOffer(tool=thing)
    _check_name(name)
    tool = _tool(plugin, name, offer)
    undo = registry_sink(TOOLS)(plugin, name, tool)
    TOOL_PLUGINS[name] = plugin
    if offer.optional:
        TOOL_OPTIONAL.add(name)

    def leave() -> None:
        TOOL_PLUGINS.pop(name, None)
        TOOL_OPTIONAL.discard(name)
        undo()

    return leave


def _check_name(name: str) -> None:
    if not _NAME.match(name):
        raise ValueError(
            f"The tool name {name!r} must be 1 to 64 letters, digits, hyphens or underscores."
        )
    key = name.lower()
    if key.startswith(PREFIX):
        raise ValueError(f"The tool name {name!r} is kept for a tool of an MCP server.")
    if key in OWNER_ONLY or key in ALIASES or key in CORE_NAMES:
        raise NameTakenError(f"The tool name {name!r} is kept for a tool of the product.")
    for other in TOOLS.names():
        if other.lower() == key:
            whose = TOOL_PLUGINS.get(other)
            owner = f"the plugin {whose}" if whose else "the product"
            raise NameTakenError(f"The tool name {name!r} is that of a tool of {owner}.")


def _tool(plugin: str, name: str, offer: ToolOffer) -> Any:
    if offer.factory is not None:
        if not callable(offer.factory):
            raise ValueError(f"The factory of the tool {name!r} must be callable.")
        return FactoryTool(plugin, name, offer.factory)
    if problem := tool_problem(offer.tool):
        raise ValueError(f"The tool {name!r} cannot be used: {problem}.")
    return offer.tool
