"""Who may talk here: people, where they write from, and how they sign in the first time."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.core.principal import ALL_SCOPES, READ, WRITE, Principal
from agents.ids import new_id


class Person(models.Model):
    """A human (or the program of one): joins a Django user with channel identities.

    The role decides what a signed-in socket may ask for. An owner sees every session, everybody
    else only their own.
    """

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        MEMBER = "member", _("member")
        VIEWER = "viewer", _("viewer")

    class Theme(models.TextChoices):
        AUTO = "auto", _("as the system")
        LIGHT = "light", _("light")
        DARK = "dark", _("dark")

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="person",
    )
    name = models.CharField(_("name"), max_length=120)
    role = models.CharField(_("role"), max_length=16, choices=Role, default=Role.MEMBER)
    zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    language = models.CharField(_("language"), max_length=16, default="en")
    theme = models.CharField(_("theme"), max_length=8, choices=Theme, default=Theme.AUTO)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "id"]
        verbose_name = _("person")
        verbose_name_plural = _("people")

    def __str__(self) -> str:
        return self.name

    @property
    def is_owner(self) -> bool:
        """Whether this person may see and do everything."""
        return self.role == self.Role.OWNER

    @property
    def scopes(self) -> tuple[str, ...]:
        """What a socket of this person may ask for."""
        if self.role == self.Role.OWNER:
            return ALL_SCOPES
        return (READ, WRITE) if self.role == self.Role.MEMBER else (READ,)

    def principal(self) -> Principal:
        """The frozen form that travels with a message."""
        return Principal(
            id=self.id,
            is_owner=self.is_owner,
            name=self.name,
            zone=self.zone,
            language=self.language,
            scopes=self.scopes,
        )


class ChannelIdentity(models.Model):
    """One address of a person on one channel (an identity link)."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="identities")
    channel = models.CharField(_("channel"), max_length=64)
    account = models.CharField(_("account"), max_length=120, default="default")
    peer = models.CharField(_("peer"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("channel identity")
        verbose_name_plural = _("channel identities")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["channel", "account", "peer"], name="one_per_peer")
        ]

    def __str__(self) -> str:
        return f"{self.channel}:{self.peer}"


class SigninLink(models.Model):
    """A one-time link that signs a person in. Only the SHA-256 of the token is stored."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="signin_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"))
    used_at = models.DateTimeField(_("used"), null=True, blank=True)

    class Meta:
        verbose_name = _("sign-in link")
        verbose_name_plural = _("sign-in links")

    def __str__(self) -> str:
        return f"{self.person} {self.created_at:%Y-%m-%d %H:%M}"
