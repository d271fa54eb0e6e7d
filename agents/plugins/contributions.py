"""Where plugins' providers, wrappers, context engines, memory back ends and skills go."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

from agents.core.registry import Registry
from agents.plugins.sinks import Undo, registry_sink

# The registries that live at this level; imported when a plugin first needs them.
_PLACES: Final = {
    "provider": "agents.providers.registry:APIS",
    "stream_wrapper": "agents.providers.wrappers.registry:STREAM_WRAPPERS",
    "context_engine": "agents.context.engine:CONTEXT_ENGINES",
    "memory_backend": "agents.memory.backends:MEMORY_BACKENDS",
    "skills": "agents.skills.sources:PLUGIN_FOLDERS",
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


def memory_backend_take(plugin: str, name: str, thing: Any) -> Undo:
    """Adds a memory back end. Raises ValueError when the name is taken or it cannot be asked."""
    for attribute in ("search", "get"):
        if not isinstance(thing, str) and not callable(getattr(thing, attribute, None)):
            raise ValueError(f"The memory back end {name!r} has no method {attribute}.")
    return _take("memory_backend", plugin, name, thing)


def skills_take(plugin: str, name: str, thing: Any) -> Undo:
    """Adds a folder of skills, weaker than every other place of skills. Raises ValueError when
    it is no absolute path of a folder that is there.
    """
    folder = Path(thing)
    if not folder.is_absolute() or not folder.is_dir():
        raise ValueError(f"skills: {str(folder)!r} must be the absolute path of a folder.")
    return _take("skills", plugin, f"{plugin}/{name}", folder)


def _take(kind: str, plugin: str, name: str, thing: Any) -> Undo:
    module, _, attribute = _PLACES[kind].partition(":")
    registry: Registry[Any] = getattr(import_module(module), attribute)
    return registry_sink(registry)(plugin, name, thing)


def service_take(plugin: str, name: str, thing: Any) -> Undo:
    """Notes a service; its hooks are handlers of the plugin like others."""
    return lambda: None
