"""How long a credential rests after a failure. Pure: times go in and come out.

A failure of one model (rate limit, overload, timeout, not found) rests the pair of credential
and model; a failure of the credential itself (auth, billing) rests it as a whole. Requests that
were wrong by themselves (format, context overflow) rest nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

MODEL_REASONS = frozenset({"rate_limit", "overloaded", "timeout", "model_not_found"})
AUTH_REASONS = frozenset({"auth", "auth_permanent"})
WHOLE_REASONS = AUTH_REASONS | {"billing"}
# A service that refuses a key this often in a row, each time after a rest, means it: 15 minutes.
AUTH_REFUSALS = 5
# Before its end, a resting credential may be tried by the first model of a chain (runtime.md 2.13).
PROBE_MARGIN = timedelta(minutes=2)
PROBE_INTERVAL = timedelta(seconds=30)
# Doubling further would only overflow; every limit is reached long before.
_MOST_DOUBLINGS = 30


@dataclass(frozen=True, slots=True)
class Schedule:
    """Lengths in seconds. Defaults as design.md 10 and `auth.cooldowns` have them.

    With `refused_first` a refusal for good rests that long, doubling up to `refused_longest`;
    None means until the secret is put in anew.
    """

    first: float = 60
    longest: float = 3600
    billing_first: float = 5 * 3600
    billing_longest: float = 24 * 3600
    refused_first: float | None = None
    refused_longest: float = 3600
    memory: float = 24 * 3600


@dataclass(frozen=True, slots=True)
class State:
    """What is remembered of a credential (or of it with one model)."""

    reason: str = ""
    error_count: int = 0
    until: datetime | None = None
    permanent: bool = False
    last_failure_at: datetime | None = None
    last_used_at: datetime | None = None
    last_probe_at: datetime | None = None
    message: str = ""
    fingerprint: str = ""

    def active(self, now: datetime) -> bool:
        """Whether it rests at `now`."""
        return self.permanent or (self.until is not None and self.until > now)


def scope(reason: str, model: str) -> str | None:
    """Which state a failure concerns: `model`, "" for the whole credential, None for none."""
    if reason in WHOLE_REASONS:
        return ""
    return model if reason in MODEL_REASONS else None


def failed(
    state: State,
    *,
    reason: str,
    now: datetime,
    schedule: Schedule,
    retry_after: float | None = None,
) -> State:
    """The state after one more failure.

    A rest that runs is never extended and its failures are not counted, however many workers
    fail at once; only a refusal for good replaces it. `retry_after` (seconds) wins over the step
    when it is longer, up to the longest rest of its kind.
    """
    if state.permanent or (state.active(now) and reason != "auth_permanent"):
        return state
    count = 1 if _forgotten(state, reason, now, schedule) else state.error_count + 1
    permanent = schedule.refused_first is None and (
        reason == "auth_permanent" or (reason == "auth" and count >= AUTH_REFUSALS)
    )
    seconds = _rest(reason, count, schedule, retry_after)
    return replace(
        state,
        reason="auth_permanent" if permanent else reason,
        error_count=count,
        until=None if permanent else now + timedelta(seconds=seconds),
        permanent=permanent,
        last_failure_at=now,
    )


def _forgotten(state: State, reason: str, now: datetime, schedule: Schedule) -> bool:
    """Whether counting begins anew: long ago, or for something else altogether.

    The time is measured from the end of the rest, because a rest may be as long as the memory.
    """
    if state.last_failure_at is None or (state.reason == "billing") != (reason == "billing"):
        return True
    last = max(state.last_failure_at, state.until or state.last_failure_at)
    return now - last > timedelta(seconds=schedule.memory)


def _rest(reason: str, count: int, schedule: Schedule, retry_after: float | None) -> float:
    first, longest = schedule.first, schedule.longest
    if reason == "billing":
        first, longest = schedule.billing_first, schedule.billing_longest
    elif reason == "auth_permanent" and schedule.refused_first is not None:
        first, longest = schedule.refused_first, schedule.refused_longest
    step: float = first * 2 ** min(count - 1, _MOST_DOUBLINGS)
    return min(max(step, retry_after or 0.0), max(longest, first))


def succeeded(state: State, *, now: datetime, started: datetime | None = None) -> State:
    """The state after a call that was answered and had been sent at `started`.

    A rest that runs is cleared only by a call that was sent after the failure (a probe): an older
    one that ends late says nothing about it.
    """
    if state.active(now):
        began = max(filter(None, (started, state.last_probe_at)), default=None)
        if began is None or (state.last_failure_at and began <= state.last_failure_at):
            return state
    return State(last_used_at=state.last_used_at, last_probe_at=state.last_probe_at)


def may_probe(state: State, now: datetime) -> bool:
    """Whether a resting credential may be tried now: near its end, and not tried just before."""
    if state.permanent or state.until is None or state.reason in AUTH_REASONS:
        return False
    near_end = now >= state.until - PROBE_MARGIN
    last = state.last_probe_at
    return near_end and (last is None or now - last >= PROBE_INTERVAL)
