"""What to do after a model call failed: a pure decision over a small state.

    Retry     the same call again, perhaps after the request was repaired or the token renewed
    Backoff   the same call again after a wait
    Rotate    the same model with the next credential
    Compact   shorten the history by a summary, then the same call
    Truncate  cut the largest tool results, then the same call
    Fallback  the next model of the chain (`larger`: one with a larger window)
    Stop      give up; the error is shown

Nothing here looks at an error's text: classification is done, `reason` says it all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from agents.core.errors import ProviderError

# runtime.md 2.2: a base, a share for each credential, and limits on both sides.
ATTEMPTS_BASE = 24
ATTEMPTS_EACH = 8
ATTEMPTS_LEAST = 32
ATTEMPTS_MOST = 160
# runtime.md 2.10: how often an overflow may lead to a compaction within one model call.
COMPACTIONS = 3
# runtime.md 2.2: what these mean does not get better with another model at the very limit.
_NO_FALLBACK_AT_LIMIT = frozenset({"timeout", "model_not_found", "format", "session_expired"})


def attempts_limit(credentials: int) -> int:
    """How many attempts one model gets with so many credentials."""
    wanted = ATTEMPTS_BASE + ATTEMPTS_EACH * max(1, credentials)
    return min(ATTEMPTS_MOST, max(ATTEMPTS_LEAST, wanted))


@dataclass(frozen=True, slots=True)
class AttemptPolicy:
    """The numbers of the decision. Times in seconds.

    `patience` is the longest wait asked for by a service that is honoured in place although
    another credential or model could be tried at once, `longest_wait` the longest of all (beyond
    it the call fails and the person is told when to try again). `waits` are for a rate limit
    without a stated time, `overload_waits` for an overloaded service, `retry_waits` for a fault of
    transport. `rate_limited_rotations` and `overloaded_rotations` bound how many credentials are
    tried for one model before the next model, when there is one (runtime.md 2.7).
    """

    patience: float = 2.0
    longest_wait: float = 60.0
    waits: tuple[float, ...] = (1.0, 2.0, 4.0)
    overload_waits: tuple[float, ...] = (0.25, 0.5, 1.0, 1.5)
    retry_waits: tuple[float, ...] = (1.0, 3.0)
    rate_limited_rotations: int = 1
    overloaded_rotations: int = 1


@dataclass(frozen=True, slots=True)
class AttemptState:
    """Where the attempts of one model call stand, the failed one counted.

    `retries`, `waits` and `refreshed` are about the current model and credential; `rotations` and
    `attempts` about the current model; the rest about the whole call. `credentials_left` are
    usable ones not tried yet for this model, `models_left` models further down the chain that can
    do what the request needs, `larger_left` those of them with a larger window. `pinned`: a person
    chose the credential, and it must not be left. `refreshable`: its token can be renewed.
    `repairable`: the history holds reasoning that could be left out.
    """

    attempts: int = 1
    limit: int = ATTEMPTS_LEAST
    retries: int = 0
    waits: int = 0
    rotations: int = 0
    credentials_left: int = 0
    models_left: int = 0
    larger_left: int = 0
    compactions: int = 0
    compactable: bool = True
    truncated: bool = False
    repaired: bool = False
    repairable: bool = False
    refreshed: bool = False
    refreshable: bool = False
    pinned: bool = False
    policy: AttemptPolicy = field(default_factory=AttemptPolicy)

    @property
    def can_rotate(self) -> bool:
        """Whether another credential may be tried for this model."""
        return self.credentials_left > 0 and not self.pinned


@dataclass(frozen=True, slots=True)
class Retry:
    """The same model and credential again, after `wait` seconds."""

    because: str
    wait: float = 0.0
    change: Literal["", "repair", "refresh"] = ""
    name: Literal["retry"] = "retry"


@dataclass(frozen=True, slots=True)
class Backoff:
    """The same again after `wait` seconds, because the service needs a rest."""

    because: str
    wait: float
    name: Literal["backoff"] = "backoff"


@dataclass(frozen=True, slots=True)
class Rotate:
    """The next credential. The current one rests."""

    because: str
    name: Literal["rotate"] = "rotate"


@dataclass(frozen=True, slots=True)
class Compact:
    """A summary in place of old history, then again."""

    because: str
    name: Literal["compact"] = "compact"


@dataclass(frozen=True, slots=True)
class Truncate:
    """The largest tool results are cut in what is sent, then again."""

    because: str
    name: Literal["truncate"] = "truncate"


@dataclass(frozen=True, slots=True)
class Fallback:
    """The next model of the chain, or with `larger` the next one with a larger window."""

    because: str
    larger: bool = False
    name: Literal["fallback"] = "fallback"


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing more is tried."""

    because: str
    name: Literal["stop"] = "stop"


Step = Retry | Backoff | Rotate | Compact | Truncate | Fallback | Stop


def next_step(state: AttemptState, error: ProviderError) -> Step:
    """What to do after `error`. Pure: the same state and error give the same step.

    An aborted call always stops. A fault of the request itself (format, a refused image) never
    leads to another credential, an overflow never to another credential either.
    """
    reason = error.reason
    if reason == "aborted":
        return Stop("the run was stopped")
    if reason == "budget":
        return Stop("no budget allows the call")
    if state.attempts >= state.limit:
        return _at_limit(state, error)
    return _RULES.get(reason, _unclassified)(state, error)


def _at_limit(state: AttemptState, error: ProviderError) -> Step:
    because = f"{state.attempts} attempts were made, the most that are allowed"
    if state.models_left and error.reason not in _NO_FALLBACK_AT_LIMIT:
        return Fallback(because)
    return Stop(because)


def _auth(state: AttemptState, error: ProviderError) -> Step:
    if state.refreshable and not state.refreshed:
        return Retry("the token may be old: it is renewed first", change="refresh")
    if state.can_rotate:
        return Rotate("the service refused the credential")
    return _fallback_or_stop(state, "the service refused the credential, and there is no other")


def _auth_permanent(state: AttemptState, error: ProviderError) -> Step:
    if state.can_rotate:
        return Rotate("the credential is refused for good until somebody edits it")
    return _fallback_or_stop(state, "the credential is refused for good, and there is no other")


def _billing(state: AttemptState, error: ProviderError) -> Step:
    if state.can_rotate:
        return Rotate("the account behind the credential has no money left")
    return Stop("no account with money is left for this provider")


def _rate_limit(state: AttemptState, error: ProviderError) -> Step:
    policy, asked = state.policy, error.retry_after
    rotates = state.can_rotate and not (
        state.models_left and state.rotations >= policy.rate_limited_rotations
    )
    if asked is not None and asked <= policy.patience and state.waits == 0:
        return Backoff("the service said when to come back", asked)
    if rotates:
        return Rotate("the service limits this credential's rate")
    if state.models_left:
        return Fallback("the service limits the rate of this model")
    if asked is not None and asked > policy.longest_wait:
        return Stop("the service asks for a longer wait than a turn should take")
    if state.waits < len(policy.waits):
        return Backoff("the service limits the rate", max(asked or 0.0, policy.waits[state.waits]))
    return Stop("the service still limits the rate after several waits")


def _overloaded(state: AttemptState, error: ProviderError) -> Step:
    policy, asked = state.policy, error.retry_after or 0.0
    elsewhere = state.can_rotate or state.models_left > 0
    # With somewhere else to go two short waits are enough.
    tries = policy.overload_waits[:2] if elsewhere else policy.overload_waits
    if state.waits < len(tries) and asked <= (
        policy.patience if elsewhere else policy.longest_wait
    ):
        return Backoff("the service is overloaded", max(asked, tries[state.waits]))
    if state.can_rotate and not (
        state.models_left and state.rotations >= policy.overloaded_rotations
    ):
        return Rotate("the service is overloaded")
    return _fallback_or_stop(state, "the service is still overloaded")


def _timeout(state: AttemptState, error: ProviderError) -> Step:
    waits = state.policy.retry_waits
    elsewhere = state.can_rotate or state.models_left > 0
    tries = waits[:1] if elsewhere else waits
    if state.retries < len(tries):
        wait = max(tries[state.retries], min(error.retry_after or 0.0, state.policy.longest_wait))
        return Retry("the connection failed or the service was silent", wait)
    if state.can_rotate:
        return Rotate("the service did not answer")
    return _fallback_or_stop(state, "the service did not answer")


def _empty_response(state: AttemptState, error: ProviderError) -> Step:
    if state.retries < len(state.policy.retry_waits):
        return Retry("the answer was empty")
    return _fallback_or_stop(state, "the answer was empty again")


def _model_not_found(state: AttemptState, error: ProviderError) -> Step:
    if state.models_left:
        return Fallback("the service does not know this model")
    if state.can_rotate:
        return Rotate("this credential may not see the model")
    return Stop("the service does not know this model")


def _session_expired(state: AttemptState, error: ProviderError) -> Step:
    if state.retries == 0:
        return Retry("the service forgot the conversation")
    if state.can_rotate:
        return Rotate("the service forgot the conversation")
    return _fallback_or_stop(state, "the service forgot the conversation")


def _format(state: AttemptState, error: ProviderError) -> Step:
    if error.thinking_refused and state.repairable and not state.repaired:
        return Retry("the service refused earlier reasoning: it is left out", change="repair")
    if error.image_refused:
        return Stop("the service refused an image")
    return _fallback_or_stop(state, "the service refused the form of the request")


def _context_overflow(state: AttemptState, error: ProviderError) -> Step:
    if state.compactable and state.compactions < COMPACTIONS:
        return Compact("the conversation does not fit into the model's window")
    if not state.truncated:
        return Truncate("a summary was not enough")
    if state.larger_left:
        return Fallback("the conversation needs a larger window", larger=True)
    return Stop("the conversation does not fit into any model of the chain")


def _unclassified(state: AttemptState, error: ProviderError) -> Step:
    if state.retries == 0:
        return Retry("the failure is of no known kind", state.policy.retry_waits[0])
    return _fallback_or_stop(state, "the failure is of no known kind")


def _fallback_or_stop(state: AttemptState, because: str) -> Step:
    return Fallback(because) if state.models_left else Stop(because)


_RULES: dict[str, Callable[[AttemptState, ProviderError], Step]] = {
    "auth": _auth,
    "auth_permanent": _auth_permanent,
    "billing": _billing,
    "rate_limit": _rate_limit,
    "overloaded": _overloaded,
    "timeout": _timeout,
    "empty_response": _empty_response,
    "model_not_found": _model_not_found,
    "session_expired": _session_expired,
    "format": _format,
    "context_overflow": _context_overflow,
    "unclassified": _unclassified,
}
