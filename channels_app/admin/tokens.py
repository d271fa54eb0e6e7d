"""API tokens."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import (
    BAD,
    GOOD,
    WAITS,
    OperatorAdmin,
    Shown,
    column,
    page_response,
)
from agents.admin.wording import ago
from agents.core.principal import READ
from channels_app.admin.scopes import ScopesField, scopes_check
from channels_app.models import ApiToken
from channels_app.tokens import api_token_create, api_token_revoke
from sessions.people import person_for_user


class EndedFilter(SimpleListFilter):
    """Whether something can still come in."""

    title = gettext_lazy("state")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """The states."""
        return [("active", _("active")), ("ended", _("ended"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Tokens that work, or no longer."""
        ended = Q(revoked_at__isnull=False) | Q(expires_at__lte=timezone.now())
        if self.value() == "active":
            return queryset.exclude(ended)
        return queryset.filter(ended) if self.value() == "ended" else queryset


class ApiTokenForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new token: whose it is, what it may do, when it ends."""

    scopes = ScopesField(initial=[READ])

    class Meta:
        model = ApiToken
        fields = ()

    def clean(self) -> dict[str, Any] | None:
        """No more rights than its person has, and an end that is not over."""
        cleaned = super().clean()
        if "scopes" in self.fields:
            scopes_check(self, self.cleaned_data.get("person"))
        expires = self.cleaned_data.get("expires_at")
        if expires is not None and "expires_at" in self.changed_data and expires <= timezone.now():
            self.add_error("expires_at", _("This time is over."))
        return cleaned


@admin.register(ApiToken)
class ApiTokenAdmin(OperatorAdmin):
    """Tokens for the REST API. Their text is shown once, when they are made."""

    form = ApiTokenForm
    list_display = ("name", "standing", "person", "scopes_shown", "made", "expires_at", "used")
    list_filter = (EndedFilter,)
    list_select_related = ("person",)
    search_fields = ("name", "person__name")
    form_select_related = ("person",)
    autocomplete_fields = ("person",)
    add_fieldsets = ((None, {"fields": ("name", "person", "scopes", "expires_at")}),)
    fieldsets = (
        (None, {"fields": ("name", ("person", "standing"), "scopes_shown")}),
        (None, {"fields": (("created_at", "expires_at"), ("last_used_at", "revoked_at"))}),
    )
    actions = ("revoke",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Of a token that is out there only the name may change."""
        fixed = ("standing", "scopes_shown", "created_at", "last_used_at", "revoked_at")
        return (*fixed, "person", "expires_at") if obj is not None else fixed

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """For whoever is at the page."""
        mine = person_for_user(user=request.user)
        return {"person": mine.pk, **super().get_changeform_initial_data(request)}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: a token is revoked, and one can see that there was one."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Through the service, which makes the secret."""
        if change:
            obj.save(update_fields=["name"])
            return
        values = form.cleaned_data
        made, obj.shown_once = api_token_create(
            person=values["person"],
            name=values["name"],
            scopes=values["scopes"],
            expires_at=values["expires_at"],
        )
        obj.pk = made.pk

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> Any:
        """The only page that ever shows the token."""
        context = {
            "title": _("API token %(name)s") % {"name": obj},
            "secret": obj.shown_once,
            "words": _("Keep it now: it is not shown again."),
            "back": reverse("admin:channels_app_apitoken_changelist"),
        }
        return page_response(self, request, "admin/shown_once.html", context)

    @admin.action(description=gettext_lazy("Revoke"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Makes tokens useless at once."""
        self.each(
            request,
            queryset.filter(revoked_at=None),
            lambda token: api_token_revoke(token=token),
            lambda n: (
                ngettext("%(n)d token is revoked.", "%(n)d tokens are revoked.", n) % {"n": n}
            ),
        )

    @column(gettext_lazy("state"), label={"active": GOOD, "expired": WAITS, "revoked": BAD})
    def standing(self, token: ApiToken) -> tuple[str, str]:
        """Whether it works."""
        if token.revoked_at is not None:
            return "revoked", _("revoked")
        if token.expires_at is not None and token.expires_at <= timezone.now():
            return "expired", _("expired")
        return "active", _("active")

    @column(gettext_lazy("scopes"))
    def scopes_shown(self, token: ApiToken) -> str:
        """What it may do."""
        return ", ".join(token.scopes)

    @column(gettext_lazy("made"), order="created_at")
    def made(self, token: ApiToken) -> Shown:
        """How long ago."""
        return ago(token.created_at)

    @column(gettext_lazy("last used"), order="last_used_at")
    def used(self, token: ApiToken) -> Shown:
        """How long ago."""
        return ago(token.last_used_at)
