"""What a plugin is handed when it registers itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from agents.hooks.names import hook_named
from agents.hooks.registry import HOOKS, HandlerFn, PluginRights
from agents.plugins.sinks import SINKS, Undo


@dataclass(frozen=True, slots=True)
class Contribution:
    """Something other than a hook handler that a plugin registered."""

    kind: str
    name: str


@dataclass(slots=True)
class _Wanted:
    hooks: list[tuple[str, HandlerFn, int, float | None]] = field(default_factory=list)
    things: list[tuple[str, str, Any]] = field(default_factory=list)


class PluginApi:
    """The registration of one plugin. Nothing takes effect before `register` has returned.

    `config` is the plugin's own configuration, `plugins.entries.<id>.config` of the document.
    """

    def __init__(self, plugin_id: str, rights: PluginRights) -> None:
        self.id = plugin_id
        self.config: Mapping[str, Any] = rights.config
        self.log = structlog.get_logger(f"plugin.{plugin_id}")
        self._rights = rights
        self._wanted = _Wanted()
        self._open = True

    def on(
        self,
        name: str,
        handler: HandlerFn | None = None,
        *,
        priority: int = 0,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Registers a handler for a hook; without `handler` it is a decorator.

        `handler(event, ctx)` returns a mapping or None and may be a coroutine function. Higher
        priority is called first. Raises ValueError that names the nearest hook for an unknown one.
        """
        self._check_open()
        hook_named(name)
        if handler is not None:
            self._wanted.hooks.append((name, handler, priority, timeout_seconds))
            return handler

        def register(function: HandlerFn) -> HandlerFn:
            self.on(name, function, priority=priority, timeout_seconds=timeout_seconds)
            return function

        return register

    def register_provider(self, api: str, factory: Any) -> None:
        """Adds a wire format: `api` is what a provider's `api` says; `factory(model)` makes its
        client, given as a callable or as "package.module:name", imported when first used.
        """
        self.contribute("provider", api, factory)

    def register_stream_wrapper(self, name: str, wrapper: Any) -> None:
        """Adds a wrapper of model calls: `wrapper(stream, context)` returns another stream."""
        self.contribute("stream_wrapper", name, wrapper)

    def register_context_engine(self, name: str, factory: Any) -> None:
        """Adds a context engine, to be chosen with `plugins.slots.contextEngine`."""
        self.contribute("context_engine", name, factory)

    def register_tool(self, tool: Any) -> None:
        """Adds a tool: an object with the attributes and the `execute` of `agents.core.tools`."""
        self.contribute("tool", str(getattr(tool, "name", "")), tool)

    def contribute(self, kind: str, name: str, thing: Any) -> None:
        """Adds anything of a kind that the product takes. Raises ValueError for other kinds."""
        self._check_open()
        if kind not in SINKS:
            known = ", ".join(SINKS.names())
            raise ValueError(f"A plugin cannot register a {kind} here; the kinds are: {known}.")
        if not name:
            raise ValueError(f"A {kind} needs a name.")
        self._wanted.things.append((kind, name, thing))

    def _check_open(self) -> None:
        if not self._open:
            raise ValueError(f"The plugin {self.id!r} may register only within register(api).")

    def close(self) -> None:
        """Ends the registration; later calls raise ValueError."""
        self._open = False

    def apply(self) -> tuple[list[Contribution], Callable[[], None]]:
        """Puts everything into effect, or nothing; returns the list and what takes it out.

        Raises ValueError for what cannot be taken.
        """
        undo: list[Undo] = [lambda: HOOKS.remove(plugin=self.id)]
        made: list[Contribution] = []

        def take_out() -> None:
            for step in reversed(undo):
                step()

        try:
            for name, handler, priority, seconds in self._wanted.hooks:
                HOOKS.on(
                    name,
                    handler,
                    priority=priority,
                    timeout_seconds=seconds,
                    plugin=self.id,
                    rights=self._rights,
                )
            for kind, name, thing in self._wanted.things:
                undo.append(SINKS.get(kind)(self.id, name, thing))
                made.append(Contribution(kind, name))
        except BaseException:
            take_out()
            raise
        return made, take_out
