"""Loading the enabled plugins, once when a process starts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import structlog

from agents.config.registry import section
from agents.config.sections.plugins_schema import PluginEntry, PluginsDocument
from agents.hooks.registry import HOOKS, PluginRights
from agents.plugins.api import PluginApi
from agents.plugins.discovery import Installed, plugins_installed
from agents.plugins.imports import folder_forget
from agents.plugins.manifest import config_problems
from agents.plugins.policy import refusal
from agents.plugins.sinks import id_problem
from agents.plugins.state import PluginState

log = structlog.get_logger(__name__)

_states: dict[str, PluginState] = {}
_loaded = False
_lock = threading.Lock()


def plugins_load() -> None:
    """Loads what the configuration enables. Never raises for what a plugin does.

    Further calls in the same process change nothing: a plugin that was enabled or changed since
    takes effect with the next start. Where nothing is enabled it costs one look at the settings.
    """
    global _loaded
    with _lock:
        if _loaded:
            return
        _loaded = True
        settings = section("plugins")
        if not _may_load(settings):
            return
        for found, state in _each(settings):
            if not state.reason:
                _states[found.id] = _load(found, settings.entries.get(found.id, PluginEntry()))


def plugins_unload() -> None:
    """Takes out everything that plugins registered, so that they can be loaded again."""
    global _loaded
    with _lock:
        for state in _states.values():
            if state.take_out is not None:
                state.take_out()
            if state.folder:
                folder_forget(state.id)
        _states.clear()
        _loaded = False


def plugin_states() -> list[PluginState]:
    """How every installed or enabled plugin stands in this process.

    One that the settings enable but this process did not load is given as disabled. No plugin is
    imported by this.
    """
    settings = section("plugins")
    standing = [*(state for _found, state in _each(settings)), *_missing(settings)]
    return [_states.get(state.id) or _unloaded(state) for state in standing]


def _unloaded(state: PluginState) -> PluginState:
    reason = state.reason or "enabled, and loaded by the next start"
    return replace(state, reason=reason)


def _may_load(settings: PluginsDocument) -> bool:
    named = settings.allow or any(entry.enabled for entry in settings.entries.values())
    return settings.enabled and bool(named)


def _each(settings: PluginsDocument) -> list[tuple[Installed, PluginState]]:
    """Every installed plugin with its standing before it is loaded."""
    return [
        (
            found,
            PluginState(
                id=found.id,
                standing="disabled",
                version=found.version,
                package=found.package,
                folder=str(found.folder or ""),
                reason=_refusal(found.id, settings),
            ),
        )
        for found in plugins_installed(settings.load.paths)
    ]


def _missing(settings: PluginsDocument) -> list[PluginState]:
    installed = {found.id for found in plugins_installed(settings.load.paths)}
    named = dict.fromkeys([*(settings.allow or ()), *settings.entries])
    if not named:
        return []
    return [
        PluginState(id=name, standing="missing", reason="no installed package or folder offers it")
        for name in named
        if name not in installed and not _refusal(name, settings)
    ]


def _refusal(plugin_id: str, settings: PluginsDocument) -> str:
    entry = settings.entries.get(plugin_id)
    return refusal(
        plugin_id,
        plugins_enabled=settings.enabled,
        allow=settings.allow,
        deny=settings.deny,
        entry_enabled=entry.enabled if entry is not None else None,
    )


def _load(found: Installed, entry: PluginEntry) -> PluginState:
    base: dict[str, Any] = {
        "id": found.id, "version": found.version, "package": found.package,
        "folder": str(found.folder or ""),
    }  # fmt: skip
    try:
        return _register(found, entry, base)
    except SystemExit as error:
        reason = f"SystemExit: {error}"
    except Exception as error:  # a broken plugin must not stop the gateway
        log.exception("plugin_failed", plugin=found.id)
        reason = f"{type(error).__name__}: {error}"
    folder_forget(found.id)
    return PluginState(standing="failed", reason=reason, **base)


def _register(found: Installed, entry: PluginEntry, base: dict[str, Any]) -> PluginState:
    if problem := id_problem(found.id) or found.problem or _config_problem(found, entry):
        raise ValueError(problem)
    plugin = found.load()
    api = PluginApi(found.id, rights_of(entry))
    try:
        _registration(found.id, plugin)(api)
    finally:
        api.close()
    applied = api.apply()
    hooks = tuple(dict.fromkeys(one.hook.name for one in HOOKS.of_plugin(found.id)))
    log.info("plugin_loaded", plugin=found.id, version=found.version, hooks=hooks)
    base["version"] = str(getattr(plugin, "version", "") or found.version)
    return PluginState(
        standing="loaded",
        name=str(getattr(plugin, "name", "")),
        hooks=hooks,
        contributions=applied.contributions,
        conflicts=applied.conflicts,
        take_out=applied.take_out,
        **base,
    )


def _registration(plugin_id: str, plugin: Any) -> Callable[[PluginApi], Any]:
    """The plugin's `register`. Raises ValueError for what is no plugin."""
    stated = getattr(plugin, "id", None)
    if stated != plugin_id:
        raise ValueError(
            f"The entry point is called {plugin_id!r}, but the plugin's id is {stated!r}; "
            "they must be the same."
        )
    register = getattr(plugin, "register", None)
    if not callable(register):
        kind = "module" if isinstance(plugin, ModuleType) else "object"
        raise ValueError(f"The {kind} of {plugin_id!r} has no function register(api).")
    return register  # type: ignore[no-any-return]


def _config_problem(found: Installed, entry: PluginEntry) -> str:
    problems = config_problems(found.config_schema, entry.config)
    if not problems:
        return ""
    steps, message = problems[0]
    place = ".".join(map(str, ("plugins", "entries", found.id, "config", *steps)))
    return f"{place}: {message}"


def rights_of(entry: PluginEntry) -> PluginRights:
    """What the configuration lets a plugin do, times in seconds."""
    hooks = entry.hooks
    return PluginRights(
        prompt_injection=hooks.allow_prompt_injection,
        conversation_access=hooks.allow_conversation_access,
        seconds=hooks.timeout_ms / 1000 if hooks.timeout_ms else None,
        seconds_by_hook={name: ms / 1000 for name, ms in hooks.timeouts.items()},
        config=entry.config,
    )
