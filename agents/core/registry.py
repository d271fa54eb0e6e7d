"""Name → dotted path or object, in stable order, imported on first use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class Registry(Generic[T]):
    """Filled by each app in `AppConfig.ready()`; read by the layer that owns it.

    Registering a name twice with another target raises ValueError (two apps would fight);
    with the same target it does nothing, so that `ready()` may run twice.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._targets: dict[str, T | str] = {}
        self._loaded: dict[str, T] = {}

    def register(self, name: str, target: T | str) -> None:
        """Adds `target`, an object or "package.module:attribute", imported when asked for."""
        known = self._targets.get(name)
        if known is not None and known != target:
            raise ValueError(f"{self.kind} {name!r} is already registered as {known!r}")
        self._targets[name] = target

    def unregister(self, name: str) -> None:
        """Takes `name` out, for what may leave again; an unknown name changes nothing."""
        self._targets.pop(name, None)
        self._loaded.pop(name, None)

    def exchange(self, old: Iterable[str], new: Mapping[str, T]) -> None:
        """Takes out the names `old` and adds `new` behind the rest, in one step for readers.

        An object may stand under the same name in both. Raises ValueError for a name of `new` that
        somebody else has.
        """
        gone = set(old)
        rest = {name: target for name, target in self._targets.items() if name not in gone}
        if taken := sorted(rest.keys() & new.keys()):
            raise ValueError(f"{self.kind} {taken[0]!r} is already registered")
        self._loaded = {n: one for n, one in self._loaded.items() if n not in gone} | dict(new)
        self._targets = {**rest, **new}

    def names(self) -> list[str]:
        """All names in order of registration."""
        return list(self._targets)

    def get(self, name: str) -> T:
        """The object registered as `name`. Raises KeyError for an unknown name."""
        if name not in self._loaded:
            self._loaded[name] = _load(self._targets[name])
        return self._loaded[name]

    def __contains__(self, name: str) -> bool:
        return name in self._targets

    def __iter__(self) -> Iterator[tuple[str, T]]:
        for name in self._targets:
            yield name, self.get(name)


def _load(target: Any) -> Any:
    if not isinstance(target, str):
        return target
    module, _, attribute = target.partition(":")
    return cast(Any, getattr(import_module(module), attribute))
