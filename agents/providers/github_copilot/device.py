"""OAuth's device sign-in (RFC 8628) as GitHub does it: a code, then asking whether it was typed.

Pure: keeps nothing, waits for nothing; who calls it keeps to the interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from agents.core.errors import ProviderError
from agents.providers.github_copilot.addresses import client_id, github_addresses
from agents.providers.github_copilot.http import github_ask

_SCOPE = "read:user"
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# RFC 8628: the interval when none is given, and what "slow_down" adds to it. Seconds.
DEFAULT_INTERVAL = 5
SLOW_DOWN = 5
_DEFAULT_LIFE = 900

Outcome = Literal["waiting", "done", "expired", "denied", "failed"]
_ENDS: dict[str, Outcome] = {
    "expired_token": "expired",
    "token_expired": "expired",
    "access_denied": "denied",
}


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What a person types where, and what we ask with meanwhile. Times in seconds."""

    device_code: str = field(repr=False)
    user_code: str
    address: str
    interval: int
    expires_in: int


@dataclass(frozen=True, slots=True)
class DeviceAnswer:
    """How a sign-in stands. `interval` is the new distance of questions, 0 for the same."""

    outcome: Outcome
    token: str = field(default="", repr=False)
    interval: int = 0
    detail: str = ""


def device_code_ask(*, github_url: str = "") -> DeviceCode:
    """A new code. Raises ProviderError when GitHub gives none, UserError for a wrong address."""
    form = {"client_id": client_id(), "scope": _SCOPE}
    status, body = github_ask("POST", github_addresses(github_url).device, form=form)
    try:
        return DeviceCode(
            device_code=str(body["device_code"]),
            user_code=str(body["user_code"]),
            address=str(body.get("verification_uri") or body["verification_url"]),
            interval=_seconds(body.get("interval"), DEFAULT_INTERVAL),
            expires_in=_seconds(body.get("expires_in"), _DEFAULT_LIFE),
        )
    except KeyError as error:
        told = body.get("error_description") or body.get("error") or f"HTTP {status}"
        text = f"GitHub gave no code for the sign-in: {told}"
        raise ProviderError(text, reason="auth", http_status=status) from error


def device_code_check(*, device_code: str, interval: int, github_url: str = "") -> DeviceAnswer:
    """Whether the code was typed. A failure of the network counts as waiting: it passes.

    `interval` is the one in force, for "slow_down" adds to it.
    """
    form = {"client_id": client_id(), "device_code": device_code, "grant_type": _GRANT}
    try:
        status, body = github_ask("POST", github_addresses(github_url).access, form=form)
    except ProviderError as error:
        return DeviceAnswer("waiting", detail=error.message)
    if token := body.get("access_token"):
        return DeviceAnswer("done", token=str(token))
    code = str(body.get("error") or "")
    if code == "slow_down":
        return DeviceAnswer(
            "waiting", interval=_seconds(body.get("interval"), interval + SLOW_DOWN)
        )
    if code == "authorization_pending" or status >= 500:
        return DeviceAnswer("waiting")
    told = str(body.get("error_description") or code or f"HTTP {status}")
    return DeviceAnswer(_ENDS.get(code, "failed"), detail=told)


def _seconds(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else default
