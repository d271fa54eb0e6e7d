"""Keys and tokens for model services, and how they fare."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import BAD, GOOD, WAITS, OperatorAdmin, RecordAdmin, Shown, column
from agents.admin.credential_form import AuthProfileForm
from agents.admin.wording import UNKNOWN, ago
from agents.credentials.explanation import REASONS
from agents.credentials.services import credential_lift, secret_replaced
from agents.models import AuthProfile, ProfileState


@admin.register(AuthProfile)
class AuthProfileAdmin(OperatorAdmin):
    """Keys and tokens for providers, in the order in which they are used."""

    form = AuthProfileForm
    list_display = (
        "name", "provider", "mode", "is_set", "agent", "position", "enabled", "changed",
    )  # fmt: skip
    list_filter = ("enabled", "mode")
    search_fields = ("name", "provider", "agent")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("name", "provider"),
                    ("mode", "agent"),
                    ("position", "enabled"),
                    ("new_secret", "new_refresh"),
                    "data",
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Rows whose secrets stay in the database: they may be sealed with a key that is gone."""
        unset = When(secret="", refresh="", then=Value(False))
        known = Case(unset, default=True, output_field=BooleanField())
        rows: Any = super().get_queryset(request)
        found: QuerySet[Any] = rows.defer("secret", "refresh").annotate(known=known)
        return found

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Sessions, orders and states know a credential by its name, so that stays."""
        return ("name",) if obj is not None else ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """New secrets replace the old ones, none leaves them alone, as does a field that is not
        changed: a token may have been renewed while the form was open.
        """
        secrets = {"secret": "new_secret", "refresh": "new_refresh"}
        given = {name: form.cleaned_data[field] for name, field in secrets.items()}
        new = [name for name, value in given.items() if value]
        for name in new:
            setattr(obj, name, given[name])
        if change:
            fields = [name for name in form.changed_data if name not in secrets.values()]
            obj.save(update_fields=[*fields, *new, "updated_at"])
        else:
            super().save_model(request, obj, form, change)
        if new:
            secret_replaced(name=obj.name)

    @column(gettext_lazy("secret"), label={"set": GOOD, "chain": "", "missing": BAD})
    def is_set(self, profile: Any) -> tuple[str, str]:
        """Whether there is one; never what it is."""
        if profile.known:
            return "set", _("set")
        if profile.mode == AuthProfile.Mode.AWS:
            return "chain", _("AWS's own")
        return "missing", _("not set")

    @column(gettext_lazy("changed"), order="updated_at")
    def changed(self, profile: AuthProfile) -> Shown:
        """How long ago."""
        return ago(profile.updated_at)


@admin.register(ProfileState)
class ProfileStateAdmin(RecordAdmin):
    """Which credential takes a rest, for which model, why and how long."""

    list_display = (
        "profile", "about", "standing", "why", "ends", "error_count", "failed", "used",
    )  # fmt: skip
    list_filter = ("permanent", "reason")
    search_fields = ("profile", "model")
    fields = (
        ("profile", "about"), ("standing", "ends"), ("why", "error_count"), ("failed", "used"),
        "message",
    )  # fmt: skip
    actions = ("rests_end",)

    @admin.action(description=gettext_lazy("Try again now"))
    def rests_end(self, request: HttpRequest, queryset: QuerySet[ProfileState]) -> None:
        """Ends the rests; the next call tells whether they are over."""

        def done(number: int) -> str:
            text = ngettext("%(n)d rest ended.", "%(n)d rests ended.", number)
            return text % {"n": number}

        def end(row: ProfileState) -> None:
            credential_lift(credential=row.profile, model=row.model)

        self.each(request, queryset, end, done)

    @column(gettext_lazy("model"), order="model")
    def about(self, state: ProfileState) -> str:
        """The model, or all of them."""
        return state.model or _("all")

    @column(gettext_lazy("state"), label={"ready": GOOD, "rests": WAITS, "refused": BAD})
    def standing(self, state: ProfileState) -> tuple[str, str]:
        """Whether it may be used now."""
        if state.permanent:
            return "refused", _("until edited")
        if state.until is not None and state.until > timezone.now():
            return "rests", _("rests")
        return "ready", _("ready")

    @column(gettext_lazy("reason"), order="reason")
    def why(self, state: ProfileState) -> str:
        """The last failure in words; what the service said is on the page of the row."""
        return str(REASONS.get(state.reason, state.reason)) or UNKNOWN

    @column(gettext_lazy("rests until"), order="until")
    def ends(self, state: ProfileState) -> Shown:
        """The end of the rest."""
        return ago(state.until)

    @column(gettext_lazy("last failure"), order="last_failure_at")
    def failed(self, state: ProfileState) -> Shown:
        """How long ago."""
        return ago(state.last_failure_at)

    @column(gettext_lazy("last used"), order="last_used_at")
    def used(self, state: ProfileState) -> Shown:
        """How long ago it answered."""
        return ago(state.last_used_at)
