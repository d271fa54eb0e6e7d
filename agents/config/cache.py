"""What was read from the configuration rows, remembered for a while in this process.

The message path asks for the same few settings on every turn. A change made in this process drops
everything at once and is told to other processes through LISTENERS; where that news is lost, an
entry lives for CACHE_SECONDS at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from django.core.exceptions import SynchronousOnlyOperation
from django.db import connection

from agents.core.registry import Registry

T = TypeVar("T")

# Seconds that a change may go unnoticed when Redis is away.
CACHE_SECONDS = 10.0

# Called after a change was committed. Filled by the app that can reach other processes.
LISTENERS: Registry[Callable[[], None]] = Registry("listener to changed settings")

_entries: dict[Hashable, tuple[float, Any]] = {}
# What was forgotten, for event loops that need a value this moment. Keys are few: sections, agents.
_forgotten: dict[Hashable, tuple[float, Any]] = {}
# Raised whenever something is forgotten: what was read before then may be old.
_generation = 0
# Raised whenever an old value was given.
_old_given = 0
_bypassed: ContextVar[bool] = ContextVar("config_cache_bypassed", default=False)


def cached(key: Hashable, build: Callable[[], T]) -> T:
    """The remembered value of `key`, or what `build()` returns, which is then remembered.

    Inside a transaction nothing new is remembered: it may still be rolled back. Where `build`
    must not read rows, as on an event loop, the last known value holds in place of a fresh one.
    """
    global _old_given
    entry = _entries.get(key)
    if entry is not None and entry[0] > time.monotonic() and not _bypassed.get():
        return cast(T, entry[1])
    generation, given = _generation, _old_given
    try:
        value = build()
    except SynchronousOnlyOperation:
        old = entry or _forgotten.get(key)
        if old is None or _bypassed.get():
            raise
        _old_given += 1
        return cast(T, old[1])
    # What was made of an old value is not fresh either.
    is_fresh = generation == _generation and given == _old_given
    if is_fresh and not connection.in_atomic_block:
        _entries[key] = (time.monotonic() + CACHE_SECONDS, value)
    return value


def cache_clear(**_: object) -> None:
    """Forgets everything. Takes and ignores the arguments of any signal."""
    global _generation
    _generation += 1
    _forgotten.update(_entries)
    _entries.clear()


def cache_drop(key: Hashable) -> None:
    """Forgets one entry."""
    global _generation
    _generation += 1
    _entries.pop(key, None)


def change_announce() -> None:
    """Forgets everything here and tells the listeners. Call it after the commit."""
    cache_clear()
    for _name, listener in LISTENERS:
        listener()


@contextmanager
def cache_bypass() -> Iterator[None]:
    """For changes that read what they have written: here everything comes from the rows.

    Other threads may fill the cache meanwhile, with what was committed before.
    """
    token = _bypassed.set(True)
    try:
        yield
    finally:
        _bypassed.reset(token)
