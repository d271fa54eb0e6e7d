"""Tokens that end: renewed before they do, by one worker at a time.

The worker that renews holds a lease in the credential's row; others wait for its result instead
of spending the same refresh token, which many services take only once. What was bought is stored
at once, and only while the lease still is one's own: a secret that a person put in meanwhile wins.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.config.cache import change_announce
from agents.core.errors import OpenClawError, ProviderError
from agents.credentials.credential import Credential
from agents.credentials.refreshers import refreshable, refresher_for
from agents.credentials.services import credential_lift
from agents.credentials.states import states
from agents.credentials.vault import stored_key, vault
from agents.database import run_db
from agents.models import AuthProfile

log = structlog.get_logger(__name__)

# runtime.md 2.9: how long before its end a token is renewed, and how long that may take.
MARGIN = timedelta(minutes=5)
TIMEOUT = 120.0
_LEASE = timedelta(seconds=TIMEOUT + 10)
_POLL = 0.2
# After a failed renewal a token that still holds is used as it is for so long.
_AGAIN_AFTER = 60.0
_failed_at: dict[str, float] = {}


def is_due(credential: Credential, *, margin: timedelta = MARGIN) -> bool:
    """Whether the token should be renewed before it is used. No query."""
    if not credential.refreshable:
        return False
    if not credential.key:
        return True
    end = ends_at(credential.data)
    return end is not None and end - timezone.now() <= margin


def ends_at(data: Mapping[str, Any]) -> datetime | None:
    """When a token ends (`expires`, ms since the epoch); None when nobody said."""
    expires = data.get("expires")
    if not isinstance(expires, int | float) or isinstance(expires, bool):
        return None
    try:
        return datetime.fromtimestamp(expires / 1000, tz=timezone.get_default_timezone())
    except (ValueError, OverflowError, OSError):
        return None


def credential_ready(*, credential: Credential) -> Credential:
    """The credential with a token that holds for a call; at once when it does already.

    A renewal that fails is an error only when the token has ended. Raises ProviderError: `auth`,
    or `auth_permanent` when only a person can help. May wait for the network: in asynchronous
    code use `credential_renewed`.
    """
    if not _should_try(credential):
        return credential
    try:
        return _renewed(credential, patient=not _holds(credential))
    except ProviderError:
        return _kept_or_raise(credential)


def credential_refresh(*, credential: Credential) -> Credential:
    """The credential with a new token, whatever the old one's end is. Raises ProviderError as
    `credential_ready`.

    When another worker has renewed it since `credential` was read, that token is the answer.
    """
    return _renewed(credential, patient=True)


def _renewed(credential: Credential, *, patient: bool) -> Credential:
    """A new token; who is not patient does not wait for another worker to buy it."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        outcome = _claim(credential)
        if isinstance(outcome, Credential):
            return outcome
        if outcome is not None:
            return _finish(credential, *outcome, _bought(outcome[0]))
        if not patient:
            return credential
        _check(deadline)
        time.sleep(_POLL)


async def credential_renewed(credential: Credential, *, force: bool = False) -> Credential:
    """`credential_ready`, or with `force` `credential_refresh`, for asynchronous code: the
    database's threads never wait for the network. Raises the same.
    """
    if not force and not _should_try(credential):
        return credential
    try:
        return await _renewed_async(credential, patient=force or not _holds(credential))
    except ProviderError:
        if force:
            raise
        return _kept_or_raise(credential)


async def _renewed_async(credential: Credential, *, patient: bool) -> Credential:
    deadline = time.monotonic() + TIMEOUT
    while True:
        outcome = await run_db(_claim, credential)
        if isinstance(outcome, Credential):
            return outcome
        if outcome is not None:
            bought = await asyncio.to_thread(_bought, outcome[0])
            return await run_db(_finish, credential, *outcome, bought)
        if not patient:
            return credential
        _check(deadline)
        await asyncio.sleep(_POLL)


def _should_try(credential: Credential) -> bool:
    if not is_due(credential):
        return False
    recently = time.monotonic() - _failed_at.get(credential.id, -_AGAIN_AFTER) < _AGAIN_AFTER
    return not (recently and _holds(credential))


def _holds(credential: Credential) -> bool:
    end = ends_at(credential.data)
    return bool(credential.key) and end is not None and end > timezone.now()


def _kept_or_raise(credential: Credential) -> Credential:
    """The old token while it holds. To be called where the renewal's error is handled."""
    _failed_at[credential.id] = time.monotonic()
    if _holds(credential):
        log.warning("credential_refresh_failed", credential=credential.id, exc_info=True)
        return credential
    raise


def _check(deadline: float) -> None:
    if time.monotonic() > deadline:
        text = _("Another worker has been renewing the token for too long.")
        raise ProviderError(text, reason="auth")


def _claim(credential: Credential) -> Credential | tuple[AuthProfile, datetime] | None:
    """The lease as (row, its end), the credential when it is renewed already, None to wait."""
    row = _row(credential.id)
    if row.secret and row.secret != credential.key and not _is_due_row(row):
        return _as_credential(row, credential)
    now = timezone.now()
    until = now + _LEASE
    free = AuthProfile.objects.filter(pk=row.pk).exclude(refreshing_until__gt=now)
    # Only who saw the same secret may go on: it may have been renewed since it was read.
    taken = free.filter(edited_at=row.edited_at).update(refreshing_until=until)
    return (row, until) if taken else None


def _row(name: str) -> AuthProfile:
    try:
        row = AuthProfile.objects.filter(name=name, enabled=True).first()
    except OpenClawError as error:
        raise ProviderError(error.message, reason="auth") from error
    if row is None:
        text = _("The credential %(name)s is gone or switched off.")
        raise ProviderError(text % {"name": name}, reason="auth")
    return row


def _is_due_row(row: AuthProfile) -> bool:
    end = ends_at(row.data)
    return end is not None and end - timezone.now() <= timedelta(0)


def _as_credential(row: AuthProfile, old: Credential) -> Credential:
    return replace(old, key=row.secret, data=row.data, rests_until=None, reason="", permanent=False)


def _bought(row: AuthProfile) -> Mapping[str, Any] | ProviderError:
    """What the refresher answers within the time limit. Never raises; uses no database."""
    answers: list[Mapping[str, Any] | ProviderError] = []

    def ask() -> None:
        try:
            answers.append(refresher_for(row)(row))
        except ProviderError as error:
            answers.append(error)
        except Exception as error:
            log.exception("credential_refresher_failed", credential=row.name)
            text = f"The token could not be renewed: {type(error).__name__}."
            answers.append(ProviderError(text, reason="auth"))

    # A thread of its own can be left behind; a pool's would be waited for.
    thread = threading.Thread(target=ask, daemon=True, name="token refresh")
    thread.start()
    thread.join(TIMEOUT)
    if answers:
        return answers[0]
    text = f"The token service did not answer within {TIMEOUT:.0f} seconds."
    return ProviderError(text, reason="timeout")


def _finish(
    credential: Credential,
    row: AuthProfile,
    until: datetime,
    bought: Mapping[str, Any] | ProviderError,
) -> Credential:
    """Stores what was bought, or gives the lease back and raises."""
    mine = AuthProfile.objects.filter(pk=row.pk, refreshing_until=until)
    if isinstance(bought, ProviderError):
        mine.update(refreshing_until=None)
        final = "auth_permanent" if bought.reason == "auth_permanent" else "auth"
        raise ProviderError(bought.message, reason=final, http_status=bought.http_status)  # type: ignore[arg-type]
    row.secret = str(bought["secret"])
    row.refresh = str(bought.get("refresh") or row.refresh)
    row.data = {**row.data, **bought.get("data", {})}
    stored = mine.update(
        secret=row.secret,
        refresh=row.refresh,
        data=row.data,
        edited_at=timezone.now(),
        updated_at=timezone.now(),
        refreshing_until=None,
    )
    if not stored:
        # Somebody put in another secret meanwhile, or took over after the lease had ended.
        return _as_credential(_row(row.name), credential)
    _failed_at.pop(row.name, None)
    change_announce()
    _lift_refusals(row.name)
    log.info("credential_refreshed", credential=row.name)
    return _as_credential(row, credential)


def _lift_refusals(name: str) -> None:
    """A renewed token counts as one put in anew, but it is the same account: limits stay."""
    state = states().get((name, ""))
    if state is not None and state.reason in ("auth", "auth_permanent"):
        credential_lift(credential=name, model="")


def credentials_refresh_due(*, margin: timedelta = 2 * MARGIN) -> int:
    """Renews every token that ends within `margin`, for a tick; tells how many were.

    A failure is logged; the call that needs the token says it to the person.
    """
    number = 0
    for stored in list(vault().by_name.values()):
        credential = Credential(
            stored.name,
            stored.provider,
            stored.mode,  # type: ignore[arg-type]
            0,
            stored_key(stored),
            stored.data,
            refreshable=stored.enabled and refreshable(stored),
        )
        if not is_due(credential, margin=margin):
            continue
        try:
            credential_refresh(credential=credential)
            number += 1
        except ProviderError as error:
            log.warning("credential_refresh_failed", credential=stored.name, error=error.message)
    return number
