"""Who tried too often: failed sign-ins and half-open connections, counted by address.

Kept in the memory of one web process; a restart forgives.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from channels_app.config_section import RateLimit

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
    """Locks an address out for a while after too many failures within a window (seconds).

    The numbers are what holds when a failure comes without others; those of the configuration
    may change at any time.
    """

    def __init__(
        self,
        *,
        attempts: int = 10,
        window: float = 60.0,
        lockout: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rules = RateLimit.model_validate(
            {
                "maxAttempts": attempts,
                "windowMs": round(window * 1000),
                "lockoutMs": round(lockout * 1000),
            }
        )
        self._clock = clock
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def wait_seconds(self, address: str) -> float:
        """How long `address` must still wait, 0 when it may try now."""
        record = self._records.get(address)
        return max(0.0, record.locked_until - self._clock()) if record else 0.0

    def failed(self, address: str, rules: RateLimit | None = None) -> None:
        """Counts a failure; the empty address is never counted."""
        if not address:
            return
        rules = rules or self._rules
        now = self._clock()
        record = self._records.get(address)
        if record is None or now - record.first > rules.window_ms / 1000:
            record = _Record(first=now)
            self._records[address] = record
            self._records.move_to_end(address)
            while len(self._records) > _MOST_ADDRESSES:
                self._records.popitem(last=False)
        record.failures += 1
        if record.failures >= rules.max_attempts:
            record.locked_until = now + rules.lockout_ms / 1000

    def succeeded(self, address: str) -> None:
        """Forgets what an address did before it got in."""
        self._records.pop(address, None)


def counted_address(*, address: str, is_local: bool, has_origin: bool, rules: RateLimit) -> str:
    """The name under which an address's failures are counted, "" when they are not."""
    if not is_local:
        return address
    if has_origin:
        return BROWSER_ON_LOOPBACK
    return "" if rules.exempt_loopback else address


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
