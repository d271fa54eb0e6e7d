"""Signing in to GitHub Copilot with a code, and the renewal of what comes of it.

The credential's `refresh` is the GitHub token, which lasts; its `secret` is the token that it buys,
which ends within half an hour, together with the address of chat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.catalog.known_providers import COPILOT
from agents.core.errors import Conflict, ProviderError, UserError
from agents.credentials.services import credential_lift
from agents.database import write_transaction
from agents.models import AuthProfile, DeviceSignIn
from agents.providers.github_copilot.device import (
    DeviceAnswer,
    device_code_ask,
    device_code_check,
)
from agents.providers.github_copilot.tokens import CopilotToken, token_exchange

State = DeviceSignIn.State

# What is over is kept for so long, for whoever left the page open.
_KEPT = timedelta(days=1)
# The lengths of the columns.
_LONGEST_DETAIL = 300
_LONGEST_NAME = 120


def copilot_refresh(profile: AuthProfile) -> Mapping[str, Any]:
    """What a new short-lived token changes in the credential. Blocks; touches no database.

    Raises ProviderError as `token_exchange`.
    """
    url = str(profile.data.get("githubUrl") or "")
    return _fields(token_exchange(github_token=profile.refresh, github_url=url))


def _fields(token: CopilotToken) -> dict[str, Any]:
    facts = {"expires": int(token.expires_at * 1000), "endpoint": token.endpoint}
    return {"secret": token.packed(), "data": facts}


def device_signin_start(*, provider: str = COPILOT, profile: str = "") -> DeviceSignIn:
    """A sign-in with the code and the page for a person, waiting.

    `profile` names the credential it will make or renew, "provider:default" when "". Asks GitHub,
    so it blocks. Raises UserError for a provider without such a sign-in or a name that belongs to
    another provider, ProviderError when GitHub gives no code.
    """
    if provider != COPILOT:
        text = _(
            "There is no sign-in for %(name)s. Only %(known)s has one; set an API key instead."
        )
        raise UserError(text % {"name": provider, "known": COPILOT})
    name = profile.strip() or f"{provider}:default"
    _name_check(name, provider)
    code = device_code_ask()
    now = timezone.now()
    DeviceSignIn.objects.filter(expires_at__lt=now - _KEPT).delete()
    return DeviceSignIn.objects.create(
        provider=provider,
        profile=name,
        device_code=code.device_code,
        user_code=code.user_code,
        address=code.address,
        interval=code.interval,
        # The first question is due one interval from now, as the standard has it.
        asked_at=now,
        expires_at=now + timedelta(seconds=code.expires_in),
    )


def _name_check(name: str, provider: str) -> None:
    if len(name) > _LONGEST_NAME:
        raise UserError(_("The name of the credential is too long: 120 characters at most."))
    other = AuthProfile.objects.filter(name=name).exclude(provider=provider).first()
    if other is not None:
        text = _("The credential %(name)s is one of %(provider)s. Choose another name.")
        raise Conflict(text % {"name": name, "provider": other.provider})


def device_signin_poll(*, signin: DeviceSignIn) -> DeviceSignIn:
    """The sign-in as it stands now; asks GitHub when that is due, and never sooner.

    Done, it has made or renewed its credential. Whoever asks at the same time gets the state
    without a question of its own. Blocks. Never raises for what GitHub answers.
    """
    signin.refresh_from_db()
    if signin.state != State.WAITING:
        return signin
    now = timezone.now()
    if signin.expires_at <= now:
        return _end(signin, State.EXPIRED, _("The code was not typed in time."))
    if not _claim(signin, now):
        return signin
    answer = device_code_check(device_code=signin.device_code, interval=signin.interval)
    if answer.interval:
        signin.interval = answer.interval
        signin.save(update_fields=["interval"])
    if answer.outcome == "waiting":
        return signin
    if answer.outcome == "done":
        return _signed_in(signin, answer)
    return _end(signin, State(answer.outcome), answer.detail)


def _claim(signin: DeviceSignIn, now: datetime) -> bool:
    """Whether this is the one who asks now. The interval counts from the last question."""
    due = Q(asked_at__isnull=True) | Q(asked_at__lte=now - timedelta(seconds=signin.interval))
    waiting = DeviceSignIn.objects.filter(due, pk=signin.pk, state=State.WAITING)
    return waiting.update(asked_at=now) == 1


def _signed_in(signin: DeviceSignIn, answer: DeviceAnswer) -> DeviceSignIn:
    try:
        fields = _fields(token_exchange(github_token=answer.token))
    except ProviderError as error:
        if error.reason != "timeout":
            return _end(signin, State.FAILED, error.message)
        # The sign-in is good; the first call buys the token.
        fields = {"secret": "", "data": {}}
    with write_transaction():
        AuthProfile.objects.update_or_create(
            name=signin.profile,
            defaults={
                "provider": signin.provider,
                "mode": AuthProfile.Mode.OAUTH,
                "secret": fields["secret"],
                "refresh": answer.token,
                "data": fields["data"],
                "enabled": True,
                "edited_at": timezone.now(),
            },
        )
        done = _end(signin, State.DONE, "")
    credential_lift(credential=signin.profile)
    return done


def _end(signin: DeviceSignIn, state: str, detail: str) -> DeviceSignIn:
    signin.state, signin.detail, signin.device_code = state, detail[:_LONGEST_DETAIL], ""
    signin.save(update_fields=["state", "detail", "device_code"])
    return signin


def device_signin_wait(*, signin: DeviceSignIn, rest: Callable[[float], object]) -> DeviceSignIn:
    """Polls until the sign-in is over and returns it. `rest` waits for so many seconds."""
    while signin.state == State.WAITING:
        rest(signin.interval)
        signin = device_signin_poll(signin=signin)
    return signin
