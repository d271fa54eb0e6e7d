"""Devices at the door: the proof of the key, and what a known device may do."""

from __future__ import annotations

import hmac
from dataclasses import replace

from agents.core.errors import LimitReached
from agents.core.messages import now_ms
from agents.core.principal import ALL_SCOPES
from channels_app.devices import (
    DeviceClaim,
    device_find,
    device_is_approved,
    device_pair,
    device_request,
    device_seen,
    device_token,
)
from channels_app.gateway.auth_errors import auth_failed, not_paired, proof_failed
from channels_app.gateway.device_proof import (
    ProofInvalid,
    plain_label,
    proof_check,
    public_key_text,
)
from channels_app.gateway.errors import GatewayError
from channels_app.gateway.handshake_params import ConnectParams, DeviceProof
from channels_app.gateway.identity import Identity, Upgrade, granted
from channels_app.models import Device
from sessions.models import Person


class DeviceSecretWrong(Exception):
    """A device brought a token that is neither the gateway's nor its own."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def device_proven(params: ConnectParams, upgrade: Upgrade) -> None:
    """Returns when no device is named or its proof holds. Raises GatewayError."""
    if params.device is None:
        return
    try:
        proof_check(params, params.device, nonce=upgrade.nonce, now=now_ms())
    except ProofInvalid as error:
        raise proof_failed(error) from None


def device_identity(params: ConnectParams, proof: DeviceProof, upgrade: Upgrade) -> Identity:
    """The identity of a device that comes by its key alone.

    Raises DeviceSecretWrong, and GatewayError NOT_PAIRED when somebody must approve it first.
    """
    claim = _claim(params, proof, upgrade)
    device = device_find(device_id=claim.id)
    _check_token(params, device)
    if device is None or device.person is None or not device_is_approved(device):
        raise _waiting(claim, "not-paired")
    if device.role != claim.role:
        raise _waiting(claim, "role-upgrade")
    if (device.platform, device.family) != (claim.platform, claim.family):
        raise _waiting(claim, "metadata-upgrade")
    device_seen(device=device)
    principal = granted(device.person, params.scopes, device.scopes)
    return _with_token(Identity(principal, "device", device_id=device.pk), device)


def device_of_owner(
    identity: Identity, person: Person, params: ConnectParams, upgrade: Upgrade
) -> Identity:
    """The identity of a socket with the shared token, with its device if it named one.

    On this machine the device is paired at once. From elsewhere the token lets it in all the
    same, but the device itself is known only after somebody approved it.
    """
    if params.device is None:
        return identity
    claim = _claim(params, params.device, upgrade)
    if upgrade.is_local:
        device: Device | None = device_pair(claim=claim, person=person)
    else:
        device = device_find(device_id=claim.id)
    return _with_token(replace(identity, device_id=claim.id), device)


def _with_token(identity: Identity, device: Device | None) -> Identity:
    if device is None or device.token_issued_at is None or not device_is_approved(device):
        return identity
    issued = int(device.token_issued_at.timestamp() * 1000)
    return replace(identity, device_token=device_token(device), issued_at_ms=issued)


def _check_token(params: ConnectParams, device: Device | None) -> None:
    auth = params.auth
    given = auth.token or auth.device_token
    if not given:
        return
    own = device_token(device) if device is not None and device_is_approved(device) else ""
    if not own or not hmac.compare_digest(given.encode(), own.encode()):
        code = "AUTH_TOKEN_MISMATCH" if auth.token else "AUTH_DEVICE_TOKEN_MISMATCH"
        raise DeviceSecretWrong(code)


def _waiting(claim: DeviceClaim, reason: str) -> GatewayError:
    try:
        device = device_request(claim=claim)
    except LimitReached:
        return auth_failed("AUTH_RATE_LIMITED")
    return not_paired(device.pk, reason)


def _claim(params: ConnectParams, device: DeviceProof, upgrade: Upgrade) -> DeviceClaim:
    client = params.client
    return DeviceClaim(
        id=device.id.lower(),
        public_key=public_key_text(device),
        name=client.display_name or client.id,
        platform=plain_label(client.platform)[:64],
        family=plain_label(client.device_family)[:64],
        client_id=client.id,
        client_mode=client.mode,
        role=params.role,
        scopes=tuple(s for s in ALL_SCOPES if params.scopes is None or s in params.scopes),
        remote_address=upgrade.address,
    )
