"""Bindings: which messages reach which agent."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import OperatorAdmin, column
from agents.admin.fields import (
    SealedJSONField,
    document_restored,
)
from agents.config.redaction import seal
from agents.models import Binding


class BindingForm(forms.ModelForm):  # type: ignore[type-arg]
    """A binding; `settings` may hold secrets."""

    settings = SealedJSONField(label=gettext_lazy("Further settings"))

    class Meta:
        model = Binding
        fields = ()

    def clean_settings(self) -> Any:
        """Secrets back in their places and encrypted."""
        document = self.cleaned_data["settings"] or {}
        return seal(document_restored(document, self.instance.settings))


@admin.register(Binding)
class BindingAdmin(OperatorAdmin):
    """Which messages reach which agent, the first that fits."""

    form = BindingForm
    list_display = ("position", "channel", "account", "peer", "agent", "kind", "comment")
    list_display_links = ("channel",)
    list_filter = ("kind", "channel", "agent")
    list_select_related = ("agent",)
    search_fields = ("channel", "account", "peer_id", "comment")
    autocomplete_fields = ("agent",)
    fieldsets = (
        (None, {"fields": ("agent", ("position", "kind"), "comment")}),
        (
            gettext_lazy("Which messages"),
            {
                "fields": (
                    ("channel", "account"),
                    ("peer_kind", "peer_id"),
                    ("guild_id", "team_id"),
                    "roles",
                )
            },
        ),
        (gettext_lazy("Further settings"), {"fields": ("settings",), "classes": ("collapse",)}),
    )

    @column(gettext_lazy("peer"), order="peer_id")
    def peer(self, binding: Binding) -> str:
        """Kind and id, or everybody."""
        if not binding.peer_id:
            return _("everybody")
        return f"{binding.peer_kind} {binding.peer_id}".strip()
