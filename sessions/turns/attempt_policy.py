"""The numbers of the attempt loop as they are configured."""

from __future__ import annotations

from agents.config.cache import cached
from agents.config.registry import section
from agents.core.attempts import AttemptPolicy

_BUILT_IN = AttemptPolicy()
# Seconds; named here so that a test need not wait for them.
RETRY_WAITS = _BUILT_IN.retry_waits
RATE_WAITS = _BUILT_IN.waits
OVERLOAD_WAITS = _BUILT_IN.overload_waits


def attempt_policy() -> AttemptPolicy:
    """The policy of a turn that begins now: `auth.cooldowns` over the built-in numbers.

    Cheap when asked for often; call it where the database may be read.
    """
    return cached("attempt_policy", _read)


def _read() -> AttemptPolicy:
    stated = section("auth").cooldowns
    first = stated.overloaded_backoff_ms / 1000
    overload = (first, *(wait for wait in OVERLOAD_WAITS if wait > first)) if first else None
    return AttemptPolicy(
        waits=RATE_WAITS,
        retry_waits=RETRY_WAITS,
        overload_waits=overload or OVERLOAD_WAITS,
        rate_limited_rotations=stated.rate_limited_profile_rotations,
        overloaded_rotations=stated.overloaded_profile_rotations,
    )
