"""What a plugin is handed when it registers itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import structlog

from agents.hooks.names import hook_named
from agents.hooks.registry import HOOKS, HandlerFn, PluginRights
from agents.plugins.sinks import SINKS, NameTakenError, Undo


@dataclass(frozen=True, slots=True)
class Contribution:
    """Something other than a hook handler that a plugin registered."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool, or what makes one for a turn."""

    tool: Any = None
    factory: Any = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class MethodOffer:
    """A method of the WebSocket protocol."""

    params: Any
    handler: Any
    scope: str


@dataclass(frozen=True, slots=True)
class ServiceOffer:
    """What is called when a process begins and when it ends."""

    start: Any
    stop: Any = None


@dataclass(frozen=True, slots=True)
class Applied:
    """What came into effect, what others had the names of already, and the way out."""

    contributions: tuple[Contribution, ...]
    conflicts: tuple[str, ...]
    take_out: Callable[[], None]


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

    def register_memory_backend(self, name: str, backend: Any) -> None:
        """Adds a memory (`agents.memory.backends.MemoryBackend`), for `plugins.slots.memory`."""
        self.contribute("memory_backend", name, backend)

    def register_context_engine(self, name: str, factory: Any) -> None:
        """Adds a context engine, to be chosen with `plugins.slots.contextEngine`."""
        self.contribute("context_engine", name, factory)

    def register_skills(self, folder: str | Path) -> None:
        """Adds a folder of skills by its absolute path, such as `Path(__file__).parent / "skills"`.

        Its skills are the weakest of their name. Nothing in it is executed.
        """
        self.contribute("skills", Path(folder).name, Path(folder))

    def register_tool(self, tool: Any, *, optional: bool = False) -> None:
        """Adds a tool: an object with the attributes and the `execute` of `agents.core.tools`.

        An `optional` one is there only where rules name it, the plugin, or `group:plugins`.
        """
        name = str(getattr(tool, "name", ""))
        self.contribute("tool", name, ToolOffer(tool=tool, optional=optional))

    def register_tool_factory(self, name: str, factory: Any, *, optional: bool = False) -> None:
        """Adds a tool that is made for each turn: `factory(context)` returns a tool called `name`,
        or None where there is to be none. It must be quick; what it raises leaves the tool out.
        """
        self.contribute("tool", name, ToolOffer(factory=factory, optional=optional))

    def register_gateway_method(
        self, name: str, params: Any, handler: Any, *, scope: str = "operator.admin"
    ) -> None:
        """Adds a method of the WebSocket protocol, called `<plugin id>.<word>`.

        `params` is a pydantic model, `handler(call, params)` a coroutine function that returns the
        payload, `scope` the right that a caller needs.
        """
        self.contribute("gateway_method", name, MethodOffer(params, handler, scope))

    def register_service(self, name: str, start: Any, stop: Any = None) -> None:
        """Adds something that runs beside the turns: `start()` is called once in each process of
        the gateway when it begins, `stop()` when it ends. Both may be coroutine functions.
        """
        self.contribute("service", name, ServiceOffer(start, stop))
        self.on("gateway_start", _called(start))
        if stop is not None:
            self.on("gateway_stop", _called(stop))

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

    def apply(self) -> Applied:
        """Puts everything into effect, or nothing, apart from what others have the names of.

        Raises ValueError for what cannot be taken.
        """
        undo: list[Undo] = [lambda: HOOKS.remove(plugin=self.id)]
        made: list[Contribution] = []
        conflicts: list[str] = []

        def take_out() -> None:
            for step in reversed(undo):
                step()

        try:
            self._listen()
            for kind, name, thing in self._wanted.things:
                try:
                    undo.append(SINKS.get(kind)(self.id, name, thing))
                except NameTakenError as error:
                    conflicts.append(str(error))
                else:
                    made.append(Contribution(kind, name))
        except BaseException:
            take_out()
            raise
        return Applied(tuple(made), tuple(conflicts), take_out)

    def _listen(self) -> None:
        for name, handler, priority, seconds in self._wanted.hooks:
            HOOKS.on(
                name,
                handler,
                priority=priority,
                timeout_seconds=seconds,
                plugin=self.id,
                rights=self._rights,
            )


def _called(function: Any) -> HandlerFn:
    """A handler of a hook that calls `function` with nothing."""
    if not callable(function):
        raise ValueError("start and stop of a service must be functions.")
    if iscoroutinefunction(function):

        async def wait(_event: Any, _context: Any) -> None:
            await function()

        return wait

    def call(_event: Any, _context: Any) -> None:
        function()

    return call
