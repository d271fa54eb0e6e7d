"""Sessions: a name and settings may be changed, the rest is history."""

from __future__ import annotations

from typing import Any, ClassVar, get_args

from django import forms
from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.agent_form import model_names
from agents.admin.base import PartlyFixedAdmin, Shown, column
from agents.admin.fields import SuggestInput, SwitchField, WordField
from agents.admin.filters import AgentFilter, when_filter
from agents.admin.wording import ago, count, excerpt, json_block, money
from agents.catalog.resolve import resolve_model
from agents.core.errors import UserError
from agents.core.messages import ThinkingLevel
from sessions.admin.parts import (
    list_link,
    page_link,
    principal_of,
)
from sessions.models import Session
from sessions.queueing import MODES
from sessions.services import session_patch
from sessions.showing import LEVELS

# Form fields, and what the service calls them.
_CHANGES = {
    "label": "label",
    "model": "model",
    "thinking": "thinkingLevel",
    "reasoning": "reasoningLevel",
    "verbose": "verboseLevel",
    "trace": "traceLevel",
    "queue_mode": "queueMode",
    "archived": "archived",
}


class SessionForm(forms.ModelForm):  # type: ignore[type-arg]
    """What may be changed of a session: everything else is its history."""

    archived = SwitchField(label=gettext_lazy("Archived"))

    class Meta:
        model = Session
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["archived"] = self.instance.archived_at is not None
        self.fields["model"].widget = SuggestInput(model_names)
        levels = {"thinking": get_args(ThinkingLevel), "queue_mode": MODES, **LEVELS}
        for name, words in levels.items():
            label = self.fields[name].label
            self.fields[name] = WordField(words, empty=_("inherit"), label=label)

    def clean_model(self) -> str:
        """A model that can be used."""
        model = str(self.cleaned_data["model"] or "").strip()
        if model and "model" in self.changed_data:
            try:
                return resolve_model(ref=model).ref
            except UserError as error:
                raise forms.ValidationError(error.message) from error
        return model


class ArchivedFilter(SimpleListFilter):
    """Sessions that are in use, or those that were put away."""

    title = gettext_lazy("archived")
    parameter_name = "archived"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """No and yes."""
        return [("no", _("no")), ("yes", _("yes"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The chosen ones."""
        if self.value() is None:
            return queryset
        return queryset.filter(archived_at__isnull=self.value() == "no")


@admin.register(Session)
class SessionAdmin(PartlyFixedAdmin):
    """Every conversation of everybody."""

    form = SessionForm
    list_display = ("named", "agent_slug", "owner", "last", "tokens", "spent", "chat", "runs")
    list_filter = (AgentFilter, ArchivedFilter, when_filter("updated_at"), "owner")
    list_select_related = ("owner",)
    list_defer = ("settings", "origin")
    search_fields = ("key", "label", "title", "preview")
    date_hierarchy = "updated_at"
    form_select_related = ("owner",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "label",
                    ("model", "thinking"),
                    ("reasoning", "verbose", "trace"),
                    ("queue_mode", "archived"),
                )
            },
        ),
        (
            gettext_lazy("What it is"),
            {
                "fields": (
                    ("key", "agent_slug"),
                    ("owner", "chat"),
                    ("runs", "entries"),
                    "title",
                    "preview",
                    ("input_tokens", "output_tokens"),
                    ("context_tokens", "spent"),
                    ("created_at", "updated_at"),
                    "archived_at",
                    "origin_shown",
                )
            },
        ),
    )
    readonly_fields: ClassVar = (
        "key", "agent_slug", "owner", "chat", "runs", "entries", "title", "preview",
        "input_tokens", "output_tokens", "context_tokens", "spent", "created_at", "updated_at",
        "archived_at", "origin_shown",
    )  # fmt: skip
    actions = ("archive", "unarchive")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Through the service, so that open pages see the change."""
        changes = {_CHANGES[name]: form.cleaned_data[name] for name in form.changed_data}
        if changes:
            session_patch(principal=principal_of(request), key=obj.key, changes=changes)

    def _archived_set(self, request: HttpRequest, rows: QuerySet[Any], *, value: bool) -> None:
        principal = principal_of(request)
        self.each(
            request,
            rows,
            lambda session: session_patch(
                principal=principal, key=session.key, changes={"archived": value}
            ),
            lambda n: ngettext("%(n)d session changed.", "%(n)d sessions changed.", n) % {"n": n},
        )

    @admin.action(description=gettext_lazy("Archive"))
    def archive(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Puts them away; nothing is lost."""
        self._archived_set(request, queryset, value=True)

    @admin.action(description=gettext_lazy("Take out of the archive"))
    def unarchive(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Shows them again."""
        self._archived_set(request, queryset, value=False)

    @column(gettext_lazy("session"), order="key")
    def named(self, session: Session) -> str:
        """Its name, or how it began."""
        return excerpt(str(session), 60)

    @column(gettext_lazy("last change"), order="updated_at")
    def last(self, session: Session) -> Shown:
        """How long ago."""
        return ago(session.updated_at)

    @column(gettext_lazy("tokens"), order="output_tokens")
    def tokens(self, session: Session) -> str:
        """In and out."""
        return f"{count(session.input_tokens)} / {count(session.output_tokens)}"

    @column(gettext_lazy("cost"), order="cost")
    def spent(self, session: Session) -> str:
        """In dollars."""
        return money(session.cost)

    @column(gettext_lazy("chat"))
    def chat(self, session: Session) -> Shown:
        """To the conversation."""
        return page_link("chat_session", _("open"), session.key)

    @column(gettext_lazy("runs"))
    def runs(self, session: Session) -> Shown:
        """To what was done for it."""
        return list_link("run", _("runs"), q=session.key)

    @column(gettext_lazy("entries"))
    def entries(self, session: Session) -> Shown:
        """To what was said in it."""
        return list_link("entry", _("entries"), q=session.key)

    @column(gettext_lazy("origin"))
    def origin_shown(self, session: Session) -> Shown:
        """Where it was opened."""
        return json_block(session.origin)
