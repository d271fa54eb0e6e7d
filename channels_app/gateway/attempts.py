"""Who tried too often: failed sign-ins and half-open connections, counted by address.

Kept in the memory of one web process; a restart forgives.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

# Addresses remembered at once; the oldest are forgotten first.
_MOST_ADDRESSES = 10_000
# Pages of other sites can reach this machine through the browser of somebody on it: their
# failures count together, under an address of the range for benchmarks (RFC 2544).
BROWSER_ON_LOOPBACK = "198.18.0.1"


@dataclass(slots=True)
class _Record:
    first: float
    failures: int = 0
    locked_until: float = 0.0


class FailureLimit:
    """Locks an address out for a while after too many failures within a window (seconds)."""

    def __init__(
        self,
        *,
        attempts: int,
        window: float,
        lockout: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._attempts, self._window, self._lockout = attempts, window, lockout
        self._clock = clock
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def wait_seconds(self, address: str) -> float:
        """How long `address` must still wait, 0 when it may try now."""
        record = self._records.get(address)
        return max(0.0, record.locked_until - self._clock()) if record else 0.0

    def failed(self, address: str) -> None:
        """Counts a failure."""
        now = self._clock()
        record = self._records.get(address)
        if record is None or now - record.first > self._window:
            record = _Record(first=now)
            self._records[address] = record
            self._records.move_to_end(address)
            while len(self._records) > _MOST_ADDRESSES:
                self._records.popitem(last=False)
        record.failures += 1
        if record.failures >= self._attempts:
            record.locked_until = now + self._lockout

    def succeeded(self, address: str) -> None:
        """Forgets what an address did before it got in."""
        self._records.pop(address, None)


class OpenCount:
    """How many connections of one address have not said who they are yet."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Counts one more; False, and nothing counted, when there are too many."""
        if self._open[address] >= self._most:
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """One of them is known now, or gone."""
        self._open[address] -= 1
        if self._open[address] <= 0:
            del self._open[address]
