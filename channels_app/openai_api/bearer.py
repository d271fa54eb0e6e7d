"""Who calls: `Authorization: Bearer` with the gateway's token or a person's API token."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

from agents.core.principal import ALL_SCOPES, Principal
from agents.database import run_db
from channels_app.config_section import gateway_settings
from channels_app.gateway.attempts import FailureLimit, counted_address
from channels_app.gateway.identity import granted
from channels_app.gateway.origin import is_local
from channels_app.openai_api.errors import ApiError, too_many_attempts, unauthorized
from channels_app.tokens import api_token_find, api_token_principal, gateway_token_matches
from sessions.people import owner_ensure

_SWITCHED_OFF = "This interface is off; see gateway.http.endpoints.chatCompletions.enabled."
_failures = FailureLimit()


async def bearer_principal(request: HttpRequest, *, scope: str) -> Principal:
    """The person behind a request. Raises ApiError 401, 403, 404 or 429."""
    document = await run_db(gateway_settings)
    if not document.http.endpoints.chat_completions.enabled:
        raise ApiError(404, _SWITCHED_OFF, code="switched_off")
    rules = document.auth.rate_limit
    origin = _origin(request)
    address = counted_address(
        address=origin.address,
        is_local=origin.is_local,
        has_origin="origin" in origin.headers,
        rules=rules,
    )
    if wait := _failures.wait_seconds(address):
        raise too_many_attempts(wait)
    token = _token(request)
    principal = await run_db(_principal, token, document.auth.mode, origin)
    if principal is None:
        if token:
            _failures.failed(address, rules)
        raise unauthorized()
    _failures.succeeded(address)
    if not principal.has_scope(scope):
        raise ApiError(403, f"The token lacks the scope {scope}.", "forbidden")
    return principal


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a request comes from."""

    address: str
    is_local: bool
    headers: dict[str, str]


def _origin(request: HttpRequest) -> _Origin:
    address = str(request.META.get("REMOTE_ADDR") or "unix")
    headers = {name.lower(): value for name, value in request.headers.items()}
    return _Origin(address, is_local([address], headers), headers)


def _token(request: HttpRequest) -> str:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _principal(token: str, mode: str, origin: _Origin) -> Principal | None:
    if token and gateway_token_matches(token):
        return granted(owner_ensure(), None, ALL_SCOPES)
    # Without authentication pages of other sites must still not get in through the browser.
    is_program = origin.is_local and "origin" not in origin.headers
    if mode == "none" and is_program and settings.OPENCLAW.is_loopback:
        return granted(owner_ensure(), None, ALL_SCOPES)
    found = api_token_find(raw=token) if token else None
    return None if found is None else api_token_principal(found)
