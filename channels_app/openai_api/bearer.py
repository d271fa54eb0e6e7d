"""Who calls: `Authorization: Bearer` with the gateway's token or a person's API token."""

from __future__ import annotations

from django.http import HttpRequest

from agents.core.principal import ALL_SCOPES, Principal
from agents.database import run_db
from channels_app.gateway.attempts import BROWSER_ON_LOOPBACK, FailureLimit
from channels_app.gateway.identity import granted
from channels_app.gateway.limits import LIMITS
from channels_app.gateway.origin import is_local
from channels_app.openai_api.errors import ApiError, too_many_attempts, unauthorized
from channels_app.tokens import api_token_find, api_token_principal, gateway_token_matches
from sessions.people import owner_ensure

_failures = FailureLimit(
    attempts=LIMITS.failed_attempts,
    window=LIMITS.failed_window_seconds,
    lockout=LIMITS.failed_lockout_seconds,
)


async def bearer_principal(request: HttpRequest, *, scope: str) -> Principal:
    """The person behind a request. Raises ApiError 401, 403 or 429."""
    address = _counted_address(request)
    if address and (wait := _failures.wait_seconds(address)):
        raise too_many_attempts(wait)
    token = _token(request)
    principal = await run_db(_principal, token) if token else None
    if principal is None:
        if token and address:
            _failures.failed(address)
        raise unauthorized()
    _failures.succeeded(address)
    if not principal.has_scope(scope):
        raise ApiError(403, f"The token lacks the scope {scope}.", "forbidden")
    return principal


def _token(request: HttpRequest) -> str:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _principal(token: str) -> Principal | None:
    if gateway_token_matches(token):
        return granted(owner_ensure(), None, ALL_SCOPES)
    found = api_token_find(raw=token)
    return None if found is None else api_token_principal(found)


def _counted_address(request: HttpRequest) -> str:
    """The name under which failures are counted, "" for programs of this machine."""
    address = str(request.META.get("REMOTE_ADDR") or "unix")
    headers = {name.lower(): value for name, value in request.headers.items()}
    if not is_local([address], headers):
        return address
    return BROWSER_ON_LOOPBACK if "origin" in headers else ""
