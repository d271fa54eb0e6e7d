"""Who listens to which hook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from agents.hooks.context import HookContext
from agents.hooks.names import LONGEST_SECONDS, Hook, hook_named

Event = Mapping[str, Any]
Answer = Mapping[str, Any] | None
HandlerFn = Callable[[Event, HookContext], Answer | Awaitable[Answer]]
F = TypeVar("F", bound=HandlerFn)


@dataclass(frozen=True, slots=True)
class PluginRights:
    """What the administrator lets a plugin's handlers see and do, and its configuration.

    `seconds` is the time limit of all its handlers, `seconds_by_hook` of those of one hook; both
    win over what the plugin itself asked for.
    """

    prompt_injection: bool = True
    conversation_access: bool = True
    seconds: float | None = None
    seconds_by_hook: Mapping[str, float] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)


# What is registered by the product itself may do everything.
TRUSTED: Final = PluginRights()


@dataclass(frozen=True, slots=True)
class Handler:
    """One registered handler. `name` is what people read: plugin and function."""

    hook: Hook
    function: HandlerFn
    priority: int
    timeout_seconds: float
    plugin: str
    name: str
    rights: PluginRights


class HookRegistry:
    """Handlers by hook, highest priority first; equal ones in order of registration."""

    def __init__(self) -> None:
        self._handlers: dict[str, tuple[Handler, ...]] = {}

    def on(
        self,
        name: str,
        handler: HandlerFn,
        *,
        priority: int = 0,
        timeout_seconds: float | None = None,
        plugin: str = "",
        rights: PluginRights = TRUSTED,
    ) -> Handler:
        """Registers `handler`, a function or coroutine function, for the hook `name`.

        The time limit is in seconds; what `rights` say wins over `timeout_seconds`. Raises
        UnknownHook for a name that is no hook, ValueError for a limit out of range or a handler
        that cannot be called.
        """
        hook = hook_named(name)
        if not callable(handler):
            raise ValueError(f"The handler of {name!r} cannot be called: {handler!r}.")
        made = Handler(
            hook=hook,
            function=handler,
            priority=int(priority),
            timeout_seconds=_limit(hook, timeout_seconds, rights),
            plugin=plugin,
            name=_name(handler, plugin),
            rights=rights,
        )
        known = (*self._handlers.get(name, ()), made)
        self._handlers[name] = tuple(sorted(known, key=lambda one: -one.priority))
        return made

    def handler(
        self, name: str, *, priority: int = 0, timeout_seconds: float | None = None
    ) -> Callable[[F], F]:
        """The same as a decorator, for the product's own handlers."""

        def register(function: F) -> F:
            self.on(name, function, priority=priority, timeout_seconds=timeout_seconds)
            return function

        return register

    def handlers(self, name: str) -> tuple[Handler, ...]:
        """The handlers of one hook in the order of their calls; () for a name without any."""
        return self._handlers.get(name, ())

    def present(self, name: str) -> bool:
        """Whether anybody listens."""
        return name in self._handlers

    def any_present(self) -> bool:
        """Whether anybody listens to anything."""
        return bool(self._handlers)

    def of_plugin(self, plugin: str) -> list[Handler]:
        """Everything a plugin listens to."""
        return [one for some in self._handlers.values() for one in some if one.plugin == plugin]

    def remove(self, *, plugin: str) -> None:
        """Takes out every handler of a plugin."""
        for name, known in list(self._handlers.items()):
            kept = tuple(one for one in known if one.plugin != plugin)
            if kept:
                self._handlers[name] = kept
            else:
                del self._handlers[name]


def _limit(hook: Hook, asked: float | None, rights: PluginRights) -> float:
    stated = rights.seconds_by_hook.get(hook.name, rights.seconds)
    seconds = asked if stated is None else stated
    if seconds is None:
        return hook.seconds
    if not 0 < seconds <= LONGEST_SECONDS:
        raise ValueError(
            f"The time limit of {hook.name!r} is {seconds:g} s; it must be above 0 and at most "
            f"{LONGEST_SECONDS:g} s."
        )
    return float(seconds)


def _name(handler: HandlerFn, plugin: str) -> str:
    function = getattr(handler, "__qualname__", None) or type(handler).__qualname__
    return f"{plugin or getattr(handler, '__module__', '')}:{function}".replace("<locals>.", "")


HOOKS: Final = HookRegistry()


def hooks_present(name: str) -> bool:
    """Whether anybody listens to the hook; one dictionary look-up."""
    return HOOKS.present(name)
