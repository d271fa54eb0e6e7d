"""How credentials fare, as all workers see it. Reading costs no query when asked for often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime

from agents.config.cache import cache_drop, cached
from agents.config.registry import section
from agents.config.sections.auth_schema import Cooldowns
from agents.credentials.cooldowns import AUTH_REASONS, Schedule, State
from agents.credentials.keys import keeps_account, model_key
from agents.credentials.listeners import STATE_LISTENERS
from agents.credentials.vault import fingerprint
from agents.models import ProfileState

COLUMNS = tuple(field.name for field in fields(State))
UNKNOWN = State()

_CACHE_KEY = "credential_states"
_HOUR, _MINUTE = 3600, 60


def states() -> Mapping[tuple[str, str], State]:
    """Every state by (credential, model); read at most every ten seconds when nothing changes."""
    return cached(_CACHE_KEY, _read)


def _read() -> dict[tuple[str, str], State]:
    rows = ProfileState.objects.values_list("profile", "model", *COLUMNS)
    return {(row[0], row[1]): State(*row[2:]) for row in rows}


def states_forget() -> None:
    """Reads them anew at the next question: another process changed them."""
    cache_drop(_CACHE_KEY)


def states_announce() -> None:
    """Forgets them here and tells the other processes. Call it after the commit."""
    states_forget()
    for _name, listener in STATE_LISTENERS:
        listener()


def schedule_for(provider: str) -> Schedule:
    """How long credentials of `provider` rest (`auth.cooldowns`)."""
    settings: Cooldowns = section("auth").cooldowns
    hours = settings.billing_backoff_hours_by_provider
    refused = settings.auth_permanent_backoff_minutes
    return Schedule(
        first=settings.backoff_seconds,
        longest=settings.max_backoff_seconds,
        billing_first=hours.get(provider, settings.billing_backoff_hours) * _HOUR,
        billing_longest=settings.billing_max_hours * _HOUR,
        refused_first=refused * _MINUTE if refused else None,
        refused_longest=settings.auth_permanent_max_minutes * _MINUTE,
        memory=settings.failure_window_hours * _HOUR,
    )


def state_of(credential: str, model: str, key: str, now: datetime) -> State | None:
    """What keeps `credential` from calling `model` at `now`, None when nothing does.

    What was noted about another secret than `key` is void.
    """
    known = states()
    names = (credential, ""), (credential, model_key(credential, model))
    found = [known[name] for name in names if name in known]
    resting = [one for one in found if one.active(now) and not is_void(credential, one, key)]
    return max(resting, key=_weight, default=None)


def _weight(state: State) -> tuple[bool, float]:
    return state.permanent, state.until.timestamp() if state.until else 0.0


def is_void(credential: str, state: State, key: str) -> bool:
    """Whether the state is about a secret that is gone. A renewed token stays the same account."""
    if not state.fingerprint or state.fingerprint == fingerprint(key):
        return False
    return state.reason in AUTH_REASONS or not keeps_account(credential)


def last_used(credential: str) -> datetime | None:
    """When it was last used with success, exact to a minute; None for never."""
    state = states().get((credential, ""))
    return state.last_used_at if state else None
