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

SINKS: Registry[Sink] = Registry("kind of plugin contribution")


def registry_sink(registry: Registry[Any]) -> Sink:
    """A sink that puts things into a registry under their own names; the product's own stay."""

    def take(plugin: str, name: str, thing: Any) -> Undo:
        if name in registry:
            raise ValueError(f"{registry.kind} {name!r} exists already; choose another name.")
        registry.register(name, thing)
        return lambda: registry.unregister(name)

    return take
