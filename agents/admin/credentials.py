"""Keys and tokens for model services."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, OperatorAdmin, Shown, column
from agents.admin.fields import (
    NewSecretField,
    SuggestInput,
)
from agents.admin.wording import ago
from agents.catalog.environment import ENVIRONMENT_KEYS
from agents.models import AuthProfile, Provider


def provider_names() -> list[str]:
    """The providers that there are, for suggestions."""
    return [*ENVIRONMENT_KEYS, *Provider.objects.values_list("name", flat=True)]


class AuthProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """A credential. The secret goes in and never comes out."""

    new_secret = NewSecretField(label=gettext_lazy("Secret"))

    class Meta:
        model = AuthProfile
        fields = ("name", "provider", "mode", "position", "enabled")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "provider" in self.fields:
            self.fields["provider"].widget = SuggestInput(provider_names)
        if self.instance.pk is None and "new_secret" in self.fields:
            self.fields["new_secret"].required = True
            self.fields["new_secret"].help_text = ""


@admin.register(AuthProfile)
class AuthProfileAdmin(OperatorAdmin):
    """Keys and tokens for providers; the first that is enabled is used."""

    form = AuthProfileForm
    list_display = ("name", "provider", "mode", "is_set", "position", "enabled", "changed")
    list_filter = ("enabled", "mode")
    search_fields = ("name", "provider")
    fieldsets = (
        (None, {"fields": (("name", "provider"), ("mode", "position"), "enabled", "new_secret")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Rows whose secret stays in the database: it may be sealed with a key that is gone."""
        known = Case(When(secret="", then=Value(False)), default=True, output_field=BooleanField())
        rows: QuerySet[Any] = super().get_queryset(request).defer("secret").annotate(known=known)
        return rows

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A new secret replaces the old one; none leaves it alone."""
        if form.cleaned_data["new_secret"]:
            obj.secret = form.cleaned_data["new_secret"]
        super().save_model(request, obj, form, change)

    @column(gettext_lazy("secret"), label={"set": GOOD, "missing": BAD})
    def is_set(self, profile: Any) -> tuple[str, str]:
        """Whether there is one; never what it is."""
        return ("set", _("set")) if profile.known else ("missing", _("not set"))

    @column(gettext_lazy("changed"), order="updated_at")
    def changed(self, profile: AuthProfile) -> Shown:
        """How long ago."""
        return ago(profile.updated_at)
