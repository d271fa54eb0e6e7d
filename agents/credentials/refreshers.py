"""How a new token is bought: by OAuth's own rule, or by what a provider registered here.

A refresher gets the AuthProfile row and returns the columns that change: `secret`, and if they
change `refresh` and `data` (merged into what is there; `expires` in ms since the epoch). It may
take its time, runs in a thread of its own and must not touch the database. It raises
ProviderError: `auth_permanent` when only a person can help, another reason when it may work later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.core.errors import ProviderError
from agents.core.registry import Registry

if TYPE_CHECKING:
    import httpx

    from agents.credentials.vault import Stored
    from agents.models import AuthProfile

Refresher = Callable[["AuthProfile"], Mapping[str, Any]]
REFRESHERS: Registry[Refresher] = Registry("refresher of tokens")
REFRESHERS.register("github-copilot", "agents.credentials.copilot:copilot_refresh")

_TIMEOUT = 30.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
# RFC 6749 5.2: with these, asking again with the same token is useless.
_FINAL = ("invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type")


def refreshable(profile: Stored | AuthProfile) -> bool:
    """Whether a new token for this credential can be had without a person."""
    has_refresh = getattr(profile, "has_refresh", None)
    if has_refresh is None:
        has_refresh = bool(profile.refresh)  # type: ignore[union-attr]
    return has_refresh and (profile.provider in REFRESHERS or bool(profile.data.get("tokenUrl")))


def refresher_for(profile: AuthProfile) -> Refresher:
    """What buys tokens for this credential."""
    if profile.provider in REFRESHERS:
        return REFRESHERS.get(profile.provider)
    return oauth_refresh


def token_address_problem(address: str) -> str:
    """Why a token endpoint cannot be used, "" when it can. Tokens go over TLS only."""
    url = urlsplit(address)
    if url.scheme == "https" and url.hostname:
        return ""
    if url.scheme == "http" and url.hostname in _LOOPBACK:
        return ""
    return "must be an address that begins with https://"


def oauth_refresh(profile: AuthProfile) -> Mapping[str, Any]:
    """The refresh_token grant of OAuth 2 (RFC 6749 6) at the credential's `tokenUrl`."""
    import httpx

    address = str(profile.data.get("tokenUrl", ""))
    if problem := token_address_problem(address):
        raise ProviderError(f"tokenUrl of the credential {problem}.", reason="auth")
    form = {"grant_type": "refresh_token", "refresh_token": profile.refresh}
    for field, name in (("client_id", "clientId"), ("scope", "scope")):
        if value := profile.data.get(name):
            form[field] = str(value)
    try:
        response = httpx.post(
            address, data=form, timeout=_TIMEOUT, headers={"Accept": "application/json"}
        )
    except httpx.HTTPError as error:
        text = f"The token service did not answer: {type(error).__name__}."
        raise ProviderError(text, reason="timeout") from error
    return _fields(response)


def _fields(response: httpx.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    body: dict[str, Any] = answer if isinstance(answer, dict) else {}
    token = body.get("access_token")
    if response.status_code != 200 or not isinstance(token, str) or not token:
        code = str(body.get("error") or f"HTTP {response.status_code}")[:100]
        text = f"The token service refused to renew the token: {code}."
        reason = "auth_permanent" if code in _FINAL else "auth"
        status = response.status_code
        raise ProviderError(text, reason=reason, http_status=status)  # type: ignore[arg-type]
    fields: dict[str, Any] = {"secret": token, "data": {"expires": _expires(body)}}
    # A service that rotates refresh tokens takes each of them once.
    if isinstance(body.get("refresh_token"), str) and body["refresh_token"]:
        fields["refresh"] = body["refresh_token"]
    return fields


def _expires(body: Mapping[str, Any]) -> int | None:
    """When the token ends, in ms since the epoch; None when the service does not say."""
    seconds = body.get("expires_in")
    try:
        return int((time.time() + float(seconds)) * 1000) if seconds else None
    except (TypeError, ValueError, OverflowError):
        return None
