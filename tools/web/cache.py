"""Remembers what was fetched or found a while ago, in this process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")

# runtime.md 4.4
ENTRIES = 100


class RecentCache(Generic[V]):
    """At most `entries` values; the one that was not asked for the longest goes first.

    Belongs to one thread. Values must not be changed by who gets them.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._values: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()

    def get(self, key: Hashable, minutes: float) -> V | None:
        """The value of `key` if it is at most `minutes` old."""
        stored = self._values.get(key)
        if stored is None or time.monotonic() - stored[0] > minutes * 60:
            return None
        self._values.move_to_end(key)
        return stored[1]

    def put(self, key: Hashable, value: V) -> None:
        """Remembers `value` from now on."""
        self._values[key] = (time.monotonic(), value)
        self._values.move_to_end(key)
        while len(self._values) > self._entries:
            self._values.popitem(last=False)

    def clear(self) -> None:
        """Forgets everything."""
        self._values.clear()
