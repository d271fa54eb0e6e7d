"""Devices: programs with a key of their own that were let in once and are known from then on.

A device proves its key at every connect. It is let in for good when it also brought the shared
token from this machine, or when somebody approves it in the admin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from agents.core.errors import LimitReached, UserError
from agents.core.principal import ALL_SCOPES
from agents.database import write_transaction
from channels_app.models import Device
from sessions.models import Person

# Anybody who reaches the port can ask; the list stays readable.
MOST_PENDING = 50
_PENDING_LIFE = timedelta(days=1)
_SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class DeviceClaim:
    """What a device says of itself, its key already proven."""

    id: str
    public_key: str
    name: str
    platform: str
    family: str
    client_id: str
    client_mode: str
    role: str
    scopes: tuple[str, ...]
    remote_address: str


def device_find(*, device_id: str) -> Device | None:
    """The row of a device with its person, approved or not."""
    return Device.objects.select_related("person").filter(pk=device_id).first()


def device_pair(*, claim: DeviceClaim, person: Person) -> Device:
    """Lets a device in for `person` at once. Its scopes grow, they never shrink."""
    now = timezone.now()
    with write_transaction():
        device = device_find(device_id=claim.id)
        if device is not None and _is_current(device, claim, person):
            device_seen(device=device)
            return device
        known = device.scopes if device is not None and device.person == person else []
        device, _made = Device.objects.update_or_create(
            pk=claim.id,
            defaults={
                **_facts(claim),
                "person": person,
                "scopes": list(dict.fromkeys([*known, *claim.scopes])),
                "approved_at": now,
                "revoked_at": None,
                "token_issued_at": now,
                "last_seen_at": now,
            },
        )
    return device


def device_request(*, claim: DeviceClaim) -> Device:
    """Notes that a device wants to be paired. Raises LimitReached when too many wait."""
    now = timezone.now()
    with write_transaction():
        pending = Device.objects.filter(approved_at=None, revoked_at=None)
        pending.filter(requested_at__lt=now - _PENDING_LIFE).delete()
        known = Device.objects.filter(pk=claim.id).first()
        if known is not None and known.revoked_at is not None:
            return known
        if known is None and pending.count() >= MOST_PENDING:
            raise LimitReached(_("Too many devices wait to be paired; approve or delete some."))
        fields = {
            **_facts(claim),
            "scopes": list(claim.scopes),
            "approved_at": None,
            "requested_at": now,
        }
        device, _made = Device.objects.update_or_create(pk=claim.id, defaults=fields)
    return device


def device_approve(
    *, device: Device, person: Person, scopes: Sequence[str] | None = None
) -> Device:
    """Lets a waiting device in for `person` with `scopes` (default: those it asked for)."""
    wanted = list(device.scopes if scopes is None else scopes)
    unknown = [scope for scope in wanted if scope not in ALL_SCOPES]
    if unknown:
        raise UserError(_("Unknown scope %(scope)s.") % {"scope": unknown[0]})
    now = timezone.now()
    device.person, device.scopes = person, wanted
    device.approved_at, device.revoked_at, device.token_issued_at = now, None, now
    device.save()
    return device


def device_revoke(*, device: Device) -> None:
    """Shuts a device out until it is approved again."""
    Device.objects.filter(pk=device.pk).update(revoked_at=timezone.now(), token_issued_at=None)


def device_seen(*, device: Device) -> None:
    """Notes that a device connected, at most once a minute."""
    now = timezone.now()
    if device.last_seen_at is None or now - device.last_seen_at > _SEEN_EVERY:
        Device.objects.filter(pk=device.pk).update(last_seen_at=now)


def device_is_approved(device: Device | None) -> bool:
    """Whether a device may come in by its key alone."""
    return (
        device is not None
        and device.approved_at is not None
        and device.revoked_at is None
        and device.person_id is not None
    )


def device_token(device: Device) -> str:
    """The device's own bearer token, "" when it has none. It is derived, hence never stored."""
    if device.token_issued_at is None:
        return ""
    issued = f"{device.pk}|{device.token_issued_at.isoformat()}"
    return salted_hmac("channels_app.device-token", issued, algorithm="sha256").hexdigest()


def _is_current(device: Device, claim: DeviceClaim, person: Person) -> bool:
    return (
        device_is_approved(device)
        and device.person == person
        and device.token_issued_at is not None
        and set(claim.scopes) <= set(device.scopes)
        and (device.platform, device.family) == (claim.platform, claim.family)
    )


def _facts(claim: DeviceClaim) -> dict[str, str]:
    return {
        "public_key": claim.public_key,
        "name": claim.name[:120],
        "platform": claim.platform[:64],
        "family": claim.family[:64],
        "client_id": claim.client_id,
        "client_mode": claim.client_mode,
        "role": claim.role,
        "remote_address": claim.remote_address[:64],
    }
