"""Devices: clients with a key of their own."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import (
    BAD,
    GOOD,
    WAITS,
    PartlyFixedAdmin,
    Shown,
    column,
)
from agents.admin.wording import ago
from channels_app.admin.scopes import ScopesField, scopes_check
from channels_app.devices import device_approve, device_revoke
from channels_app.models import Device
from sessions.people import person_for_user


class PairingFilter(SimpleListFilter):
    """How a device stands."""

    title = gettext_lazy("state")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """The states."""
        return [("waiting", _("waiting")), ("paired", _("paired")), ("revoked", _("revoked"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The chosen ones."""
        if self.value() == "revoked":
            return queryset.filter(revoked_at__isnull=False)
        if self.value() == "waiting":
            return queryset.filter(revoked_at=None, approved_at=None)
        if self.value() == "paired":
            return queryset.filter(revoked_at=None, approved_at__isnull=False)
        return queryset


class DeviceForm(forms.ModelForm):  # type: ignore[type-arg]
    """Whose device it is and what it may do."""

    scopes = ScopesField(required=False)

    class Meta:
        model = Device
        fields = ()

    def clean(self) -> dict[str, Any] | None:
        """A paired device has a person, and no more rights than that person."""
        cleaned = super().clean()
        person = self.cleaned_data.get("person")
        if person is None and self.instance.approved_at is not None:
            self.add_error("person", _("A paired device belongs to somebody."))
        scopes_check(self, person)
        return cleaned


@admin.register(Device)
class DeviceAdmin(PartlyFixedAdmin):
    """Clients with a key of their own: let in, or shut out."""

    form = DeviceForm
    list_display = ("named", "standing", "person", "platform", "role", "address", "asked", "seen")
    list_filter = (PairingFilter, "role", "platform")
    list_select_related = ("person",)
    search_fields = ("name", "id", "person__name", "remote_address")
    form_select_related = ("person",)
    autocomplete_fields = ("person",)
    fieldsets = (
        (None, {"fields": ("name", ("person", "standing"), "scopes")}),
        (
            gettext_lazy("What it says of itself"),
            {
                "fields": (
                    ("platform", "family"),
                    ("client_id", "client_mode"),
                    ("role", "remote_address"),
                    ("requested_at", "last_seen_at"),
                    ("approved_at", "revoked_at"),
                    "id",
                    "public_key",
                )
            },
        ),
    )
    readonly_fields: ClassVar = (
        "standing", "platform", "family", "client_id", "client_mode", "role", "id", "public_key",
        "remote_address", "requested_at", "approved_at", "revoked_at", "last_seen_at",
    )  # fmt: skip
    actions = ("approve", "revoke")

    @admin.action(description=gettext_lazy("Approve"))
    def approve(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Lets waiting devices in, for their person or else for whoever approves."""
        mine = person_for_user(user=request.user)
        self.each(
            request,
            queryset.select_related("person"),
            lambda device: device_approve(device=device, person=device.person or mine),
            lambda n: (
                ngettext("%(n)d device is let in.", "%(n)d devices are let in.", n) % {"n": n}
            ),
        )

    @admin.action(description=gettext_lazy("Revoke"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Shuts devices out."""
        self.each(
            request,
            queryset,
            lambda device: device_revoke(device=device),
            lambda n: (
                ngettext("%(n)d device is shut out.", "%(n)d devices are shut out.", n) % {"n": n}
            ),
        )

    @column(gettext_lazy("device"), order="name")
    def named(self, device: Device) -> str:
        """Its name, or the beginning of its key."""
        return str(device)

    @column(gettext_lazy("state"), label={"waiting": WAITS, "paired": GOOD, "revoked": BAD})
    def standing(self, device: Device) -> tuple[str, str]:
        """Whether it may come in."""
        if device.revoked_at is not None:
            return "revoked", _("revoked")
        return ("waiting", _("waiting")) if device.approved_at is None else ("paired", _("paired"))

    @column(gettext_lazy("address"), order="remote_address")
    def address(self, device: Device) -> str:
        """Where it came from last."""
        return device.remote_address

    @column(gettext_lazy("asked"), order="requested_at")
    def asked(self, device: Device) -> Shown:
        """How long ago."""
        return ago(device.requested_at)

    @column(gettext_lazy("last seen"), order="last_seen_at")
    def seen(self, device: Device) -> Shown:
        """How long ago."""
        return ago(device.last_seen_at)
