"""Who a socket is: shared token, signed device, or the session of a signed-in browser.

- The shared token is the owner with the scopes that were asked for, with or without a device.
- A device that was let in before comes in by its key alone, for its person, with its scopes.
- A same-origin socket with Django's session cookie is that person, scopes by role.
"""

from __future__ import annotations

from typing import Literal

from django.conf import settings

from agents.core.principal import ALL_SCOPES
from agents.database import run_db
from channels_app.config_section import gateway_settings
from channels_app.gateway.attempts import FailureLimit, counted_address
from channels_app.gateway.auth_errors import auth_failed
from channels_app.gateway.cookie_session import session_cookie, session_person
from channels_app.gateway.device_auth import (
    DeviceSecretWrong,
    device_identity,
    device_of_owner,
    device_proven,
)
from channels_app.gateway.handshake_params import ConnectParams
from channels_app.gateway.identity import Identity, Method, Upgrade, granted, secret_digest
from channels_app.tokens import gateway_token_matches
from sessions.people import owner_ensure


async def authenticate(params: ConnectParams, upgrade: Upgrade, failures: FailureLimit) -> Identity:
    """The identity of a connection. Raises GatewayError with the codes of gateway.md 1.4."""
    auth = (await run_db(gateway_settings)).auth
    address = counted_address(
        address=upgrade.address,
        is_local=upgrade.is_local,
        has_origin=upgrade.has_origin,
        rules=auth.rate_limit,
    )
    if failures.wait_seconds(address):
        raise auth_failed("AUTH_RATE_LIMITED")
    device_proven(params, upgrade)
    try:
        identity = await run_db(_identity, params, upgrade, auth.mode)
    except DeviceSecretWrong as error:
        failures.failed(address, auth.rate_limit)
        raise auth_failed(error.code) from None
    failures.succeeded(address)
    return identity


def _identity(params: ConnectParams, upgrade: Upgrade, mode: str) -> Identity:
    brought = _secret_kind(params)
    if brought == "token":
        return _owner(params, upgrade, "token")
    if mode == "none" and _is_open_door(upgrade):
        return _owner(params, upgrade, "none")
    if params.device is not None:
        return device_identity(params, params.device, upgrade)
    if brought == "wrong":
        raise DeviceSecretWrong("AUTH_TOKEN_MISMATCH")
    return _browser(params, upgrade)


def _secret_kind(params: ConnectParams) -> Literal["token", "wrong", "none"]:
    auth = params.auth
    if auth.token:
        return "token" if gateway_token_matches(auth.token) else "wrong"
    if auth.password:
        raise auth_failed("AUTH_PASSWORD_NOT_CONFIGURED")
    if auth.bootstrap_token:
        raise auth_failed("AUTH_BOOTSTRAP_TOKEN_INVALID")
    return "none"


def _is_open_door(upgrade: Upgrade) -> bool:
    """Without authentication only programs of this machine come in; pages still sign in."""
    return upgrade.is_local and not upgrade.has_origin and settings.OPENCLAW.is_loopback


def _owner(params: ConnectParams, upgrade: Upgrade, method: Method) -> Identity:
    person = owner_ensure()
    digest = secret_digest() if method == "token" else ""
    principal = granted(person, params.scopes, ALL_SCOPES)
    identity = Identity(principal, method, secret_digest=digest)
    return device_of_owner(identity, person, params, upgrade)


def _browser(params: ConnectParams, upgrade: Upgrade) -> Identity:
    # Other sites' pages send the cookie too; only a stated, checked origin makes it count.
    cookie = session_cookie(upgrade.headers) if upgrade.has_origin else ""
    person = session_person(session_key=cookie)
    if person is None:
        # A device's token without the device's signature proves nothing.
        is_half = params.auth.device_token is not None
        raise auth_failed("DEVICE_IDENTITY_REQUIRED" if is_half else "AUTH_TOKEN_MISSING")
    return Identity(granted(person, params.scopes, person.scopes), "session", cookie=cookie)
