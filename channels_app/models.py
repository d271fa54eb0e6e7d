"""Programs and devices that reach us: signed devices and API tokens."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models import Person


class Device(models.Model):
    """A client with an Ed25519 key. `id` is the SHA-256 of the public key in hex.

    `approved_at` empty: it asked to be paired and waits for somebody with the right to approve.
    """

    id = models.CharField(primary_key=True, max_length=64)
    person = models.ForeignKey(
        Person, on_delete=models.CASCADE, null=True, blank=True, related_name="devices"
    )
    public_key = models.CharField(_("public key"), max_length=64)
    name = models.CharField(_("name"), max_length=120, blank=True)
    platform = models.CharField(_("platform"), max_length=64, blank=True)
    family = models.CharField(_("device family"), max_length=64, blank=True)
    client_id = models.CharField(_("client"), max_length=64, blank=True)
    client_mode = models.CharField(_("mode"), max_length=32, blank=True)
    role = models.CharField(_("role"), max_length=16, default="operator")
    scopes = models.JSONField(_("scopes"), default=list, blank=True)
    token_hash = models.CharField(max_length=64, blank=True, db_index=True, editable=False)
    token_issued_at = models.DateTimeField(_("token issued"), null=True, blank=True)
    remote_address = models.CharField(_("address"), max_length=64, blank=True)
    requested_at = models.DateTimeField(_("asked"), default=timezone.now)
    approved_at = models.DateTimeField(_("approved"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_seen_at = models.DateTimeField(_("last seen"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-requested_at"]
        verbose_name = _("device")
        verbose_name_plural = _("devices")

    def __str__(self) -> str:
        return self.name or self.id[:12]


class ApiToken(models.Model):
    """A bearer token of a person for the REST API. Only its SHA-256 is stored."""

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=120)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(_("scopes"), default=list)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return self.name
