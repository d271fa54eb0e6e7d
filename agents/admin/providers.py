"""Model services that are kept here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, OperatorAdmin, Shown, column, is_list
from agents.admin.provider_form import ProviderForm
from agents.admin.wording import ago
from agents.catalog.resolve import catalog
from agents.config.sections.models import profile_name
from agents.core.errors import UserError
from agents.models import AuthProfile, Provider


def ready_names() -> list[str]:
    """The providers that can be used; none when a stored key cannot be opened."""
    try:
        entries = catalog().providers
    except UserError:
        return []
    return [name for name, entry in entries.items() if not entry.problem]


@admin.register(Provider)
class ProviderAdmin(OperatorAdmin):
    """Model services that are kept here; those of the environment are on the control panel."""

    form = ProviderForm
    list_display = ("name", "standing", "api", "base_url", "models_count", "enabled", "changed")
    list_filter = ("enabled", "api")
    search_fields = ("name", "base_url")
    list_defer = ("headers", "settings")
    fieldsets = (
        (None, {"fields": (("name", "enabled"), ("api", "base_url"))}),
        (gettext_lazy("Key"), {"fields": ("new_key", "key_removed")}),
        (gettext_lazy("Models"), {"fields": ("catalog", "timeout_seconds")}),
        (gettext_lazy("Further settings"), {"fields": ("headers", "settings")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With whether they can be used, asked for once and not for each row."""
        rows: QuerySet[Any] = super().get_queryset(request)
        if is_list(request):
            ready = When(name__in=ready_names(), then=Value(True))
            rows = rows.annotate(is_ready=Case(ready, default=False, output_field=BooleanField()))
        return rows

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Sessions, agents and credentials know a provider by its name, so that stays."""
        return ("name",) if obj is not None else ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """The row, and the key as a credential of its own."""
        super().save_model(request, obj, form, change)
        profile = profile_name(obj.name)
        if form.cleaned_data["new_key"]:
            AuthProfile.objects.update_or_create(
                name=profile,
                defaults={"provider": obj.name, "secret": form.cleaned_data["new_key"]},
            )
        elif form.cleaned_data["key_removed"]:
            AuthProfile.objects.filter(name=profile).delete()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """The key of the provider goes with it."""
        AuthProfile.objects.filter(name=profile_name(obj.name)).delete()
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """One by one, each with its key."""
        for provider in queryset:
            self.delete_model(request, provider)

    @column(gettext_lazy("state"), label={"ready": GOOD, "off": "", "problem": BAD})
    def standing(self, provider: Any) -> tuple[str, str]:
        """Whether it can be used now."""
        if not provider.enabled:
            return "off", _("off")
        return ("ready", _("ready")) if provider.is_ready else ("problem", _("no key"))

    @column(gettext_lazy("models"))
    def models_count(self, provider: Provider) -> str:
        """How many are listed."""
        return str(len(provider.catalog)) if provider.catalog else _("any")

    @column(gettext_lazy("changed"), order="updated_at")
    def changed(self, provider: Provider) -> Shown:
        """How long ago."""
        return ago(provider.updated_at)
