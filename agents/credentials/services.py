"""What happens to credentials, noted for all workers without races."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import NotFound, ProviderReason
from agents.credentials import cooldowns
from agents.credentials.cooldowns import State
from agents.credentials.keys import NONE, key_of, model_key
from agents.credentials.states import (
    COLUMNS,
    UNKNOWN,
    is_void,
    schedule_for,
    states,
    states_announce,
    states_forget,
)
from agents.credentials.vault import fingerprint
from agents.database import write_transaction
from agents.models import AuthProfile, ProfileState

_NO_KEY = f"{NONE}:"
_LAST_USE_EVERY = timedelta(minutes=1)
_LONGEST_MESSAGE, _LONGEST_PROFILE = 600, 160


def credential_failed(
    *,
    credential: str,
    model: str,
    reason: ProviderReason,
    message: str = "",
    retry_after: float | None = None,
    key: str = "",
) -> None:
    """Notes that a call of `model` (its id) failed, for all workers at once.

    Format errors and overflows leave no trace, and neither does a failure during a rest, so
    two workers that fail at once count once. With `key`, the secret that was sent, a failure of
    one that was replaced meanwhile is left out. One short write transaction at most.
    """
    about = cooldowns.scope(reason, model_key(credential, model))
    provider, current = key_of(credential)
    if about is None or _is_replaced(key, current):
        return
    now, known = timezone.now(), states().get((credential, about), UNKNOWN)
    # No write for each of a thousand sessions that meet the same limit.
    if known.active(now) and reason != "auth_permanent" and not is_void(credential, known, current):
        return
    shown = _clean(message, current)
    with write_transaction():
        before = _locked(credential, about)
        if is_void(credential, before, current):
            before = State(last_used_at=before.last_used_at)
        after = cooldowns.failed(
            before,
            reason=reason,
            now=now,
            schedule=schedule_for(provider),
            retry_after=retry_after,
        )
        if after != before:
            after = replace(after, message=shown, fingerprint=fingerprint(current))
            _write(credential, about, after)
            transaction.on_commit(states_announce)


def _is_replaced(key: str, current: str) -> bool:
    """Whether `key` is not the secret any more. AWS's is sent packed with its facts."""
    packed = key.startswith("{") and not current.startswith("{")
    return bool(key and current) and not packed and key != current


def _clean(message: str, key: str) -> str:
    """The text for people: without the secret, and storable."""
    text = message.replace("\0", "")
    return (text.replace(key, "…") if key else text)[:_LONGEST_MESSAGE]


def credential_succeeded(*, credential: str, model: str, started: datetime | None = None) -> None:
    """Notes an answered call of `model` (its id) that was sent at `started`.

    Failures before it are forgotten; the last use is written at most once a minute. Without
    anything to write it costs no query.
    """
    if credential.startswith(_NO_KEY):
        return
    now, known = timezone.now(), states()
    for about in {"", model_key(credential, model)}:
        state = known.get((credential, about), UNKNOWN)
        if cooldowns.succeeded(state, now=now, started=started) != state:
            _clear(credential, about, now, started)
    used = known.get((credential, ""), UNKNOWN).last_used_at
    if used is None or now - used >= _LAST_USE_EVERY:
        _touch(credential, now)


def _clear(credential: str, about: str, now: datetime, started: datetime | None) -> None:
    with write_transaction():
        before = _locked(credential, about)
        after = cooldowns.succeeded(before, now=now, started=started)
        if after != before:
            _write(credential, about, after)
            transaction.on_commit(states_announce)


def _touch(credential: str, now: datetime) -> None:
    if not _rows(credential, "").update(last_used_at=now):
        _make(credential, "")
        _rows(credential, "").update(last_used_at=now)
    # Others learn of it when they read anew; it only decides whose turn it is.
    transaction.on_commit(states_forget)


def credential_probe(*, credential: str, model: str) -> bool:
    """Whether the caller may try a resting credential once: within two minutes of its end, and
    once in 30 seconds over all workers. True takes the turn.
    """
    now = timezone.now()
    names = {"", model_key(credential, model)}
    known = [states().get((credential, about), UNKNOWN) for about in names]
    resting = [state for state in known if state.active(now)]
    if not resting or not all(cooldowns.may_probe(state, now) for state in resting):
        return False
    taken = ProfileState.objects.filter(
        Q(last_probe_at=None) | Q(last_probe_at__lte=now - cooldowns.PROBE_INTERVAL),
        profile=credential[:_LONGEST_PROFILE],
        model__in=names,
        until__gt=now,
        until__lte=now + cooldowns.PROBE_MARGIN,
        permanent=False,
    ).update(last_probe_at=now)
    transaction.on_commit(states_forget)
    return taken == len(resting)


def credential_lift(*, credential: str, model: str | None = None) -> int:
    """Ends every rest of `credential`, or the one for `model` ("" for the whole) alone.

    Returns how many ended. For a person who knows better, and for a secret put in anew.
    """
    rows = ProfileState.objects.filter(profile=credential[:_LONGEST_PROFILE])
    if model is not None:
        rows = rows.filter(model=model)
    blank = asdict(UNKNOWN)
    del blank["last_used_at"]
    # Rows that tell of nothing but the last use stay as they are.
    number = rows.exclude(last_failure_at=None, until=None, permanent=False).update(**blank)
    transaction.on_commit(states_announce)
    return number


def profile_switch(*, name: str, enabled: bool) -> None:
    """Takes a stored credential into use or out of it. Raises NotFound for an unknown one."""
    row = AuthProfile.objects.defer("secret", "refresh").filter(name=name).first()
    if row is None:
        raise NotFound(_("There is no credential %(name)s.") % {"name": name})
    row.enabled = enabled
    row.save(update_fields=["enabled", "updated_at"])


def secret_replaced(*, name: str) -> None:
    """Notes that a person put in a secret: every rest ends, and a renewal that runs is void."""
    AuthProfile.objects.filter(name=name).update(edited_at=timezone.now(), refreshing_until=None)
    credential_lift(credential=name)


def _rows(credential: str, about: str) -> QuerySet[ProfileState]:
    return ProfileState.objects.filter(profile=credential[:_LONGEST_PROFILE], model=about)


def _make(credential: str, about: str) -> None:
    row = ProfileState(profile=credential[:_LONGEST_PROFILE], model=about)
    ProfileState.objects.bulk_create([row], ignore_conflicts=True)


def _locked(credential: str, about: str) -> State:
    """The state as it is stored, its row made if need be and locked to the transaction's end."""
    rows = _rows(credential, about).select_for_update().values_list(*COLUMNS)
    found = rows.first()
    if found is None:
        _make(credential, about)
        found = rows.get()
    return State(*found)


def _write(credential: str, about: str, state: State) -> None:
    _rows(credential, about).update(**asdict(state))
