"""Where what plugins register goes; each part of the product fills in its own.

A sink takes the plugin's id, the name and the thing, and returns what takes it out again. It
raises ValueError when the name is taken or the thing cannot be used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.core.registry import Registry

Undo = Callable[[], None]
Sink = Callable[[str, str, Any], Undo]

# Ids that no plugin may have, because rules would take it for something of the product.
RESERVED_IDS: set[str] = set()
# Plugins whose id begins like this would get the rules for MCP servers.
RESERVED_PREFIX = "mcp-"

SINKS: Registry[Sink] = Registry("kind of plugin contribution")


class NameTakenError(ValueError):
    """The product or another plugin has the name already. Only this contribution is left out."""


def id_problem(plugin: str) -> str:
    """Why a plugin may not be called so, "" when it may."""
    if plugin.lower() in RESERVED_IDS:
        return "its id is the name of a tool of the product, so all of it is left out"
    if plugin.lower().startswith(RESERVED_PREFIX):
        return f"ids that begin with {RESERVED_PREFIX} are those of MCP servers"
    return ""


def registry_sink(registry: Registry[Any]) -> Sink:
    """A sink that puts things into a registry under their own names; the product's own stay."""

    def take(plugin: str, name: str, thing: Any) -> Undo:
        if name in registry:
            raise ValueError(f"{registry.kind} {name!r} exists already; choose another name.")
        registry.register(name, thing)
        return lambda: registry.unregister(name)

    return take
