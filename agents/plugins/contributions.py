"""Where plugins' providers, stream wrappers and context engines go."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from agents.core.registry import Registry
from agents.plugins.sinks import Undo, registry_sink

# The registries that live at this level; imported when a plugin first needs them.
_PLACES: Final = {
    "provider": "agents.providers.registry:APIS",
    "stream_wrapper": "agents.providers.wrappers.registry:STREAM_WRAPPERS",
    "context_engine": "agents.context.engine:CONTEXT_ENGINES",
}


def provider_take(plugin: str, name: str, thing: Any) -> Undo:
    """Adds a wire format. Its name begins with the plugin's id and a slash, so that it can never
    be one of the product's own. Raises ValueError otherwise.
    """
    if not name.startswith(f"{plugin}/"):
        raise ValueError(f"The wire format {name!r} must be called {plugin}/… like its plugin.")
    return _take("provider", plugin, name, thing)


def stream_wrapper_take(plugin: str, name: str, thing: Any) -> Undo:
    """Adds a wrapper of model calls. Raises ValueError when the name is taken."""
    return _take("stream_wrapper", plugin, name, thing)


def context_engine_take(plugin: str, name: str, thing: Any) -> Undo:
    """Adds a context engine. Raises ValueError when the name is taken."""
    return _take("context_engine", plugin, name, thing)


def _take(kind: str, plugin: str, name: str, thing: Any) -> Undo:
    module, _, attribute = _PLACES[kind].partition(":")
    registry: Registry[Any] = getattr(import_module(module), attribute)
    return registry_sink(registry)(plugin, name, thing)


def service_take(plugin: str, name: str, thing: Any) -> Undo:
    """Notes a service; its hooks are handlers of the plugin like others."""
    return lambda: None
