"""The configuration document: its sections, its revisions, and changing it as a whole."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import RecordAdmin, Shown, column, page_response
from agents.admin.fields import Textarea, TextInput
from agents.admin.wording import ago, json_block
from agents.config.issues import ConfigInvalid, ConfigReport
from agents.config.redaction import REDACTED, SEALED, redact
from agents.config.selectors import config_get
from agents.config.services import config_apply, config_rollback, config_validate
from agents.core.errors import NotFound
from agents.models import ConfigRevision, ConfigSection

_LONGEST = 2_000_000


class DocumentForm(forms.Form):
    """The whole document as text."""

    text = forms.CharField(
        label=gettext_lazy("Document"),
        max_length=_LONGEST,
        widget=Textarea(attrs={"rows": 30, "spellcheck": "false", "class": "oc-code"}),
        help_text=gettext_lazy(
            "JSON5 or YAML. Secrets are shown as a mark; left as it is, it keeps what is stored."
        ),
    )
    note = forms.CharField(
        label=gettext_lazy("Note"), max_length=300, required=False, widget=TextInput()
    )


@admin.register(ConfigSection)
class ConfigSectionAdmin(RecordAdmin):
    """Settings that have no rows of their own, as they are stored. The document changes them."""

    list_display = ("name", "keys", "changed")
    search_fields = ("name",)
    fields = ("name", "content", "updated_at")
    change_list_template = "admin/agents/configsection/change_list.html"

    def get_urls(self) -> list[Any]:
        """The page of the whole document before the page of one section."""
        view = self.admin_site.admin_view(self.document_view)
        return [path("document/", view, name="agents_configuration"), *super().get_urls()]

    def document_view(self, request: HttpRequest) -> HttpResponse:
        """Shows the document, checks a changed one, applies it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        report: ConfigReport | None = None
        form = DocumentForm(request.POST or None, initial={"text": _document_text()})
        if request.method == "POST" and form.is_valid():
            report = _try(request, form)
            if report.ok and "apply" in request.POST:
                _tell(request, report)
                return HttpResponseRedirect(reverse("admin:agents_configuration"))
        context = {"title": _("Configuration"), "form": form, "report": report}
        return page_response(self, request, "admin/agents/configsection/document.html", context)

    @column(gettext_lazy("keys"))
    def keys(self, section: ConfigSection) -> str:
        """What is set in it."""
        document = section.document
        return ", ".join(document) if isinstance(document, dict) else ""

    @column(gettext_lazy("content"))
    def content(self, section: ConfigSection) -> Shown:
        """Without its secrets."""
        return _shown(section.document)

    @column(gettext_lazy("changed"), order="updated_at")
    def changed(self, section: ConfigSection) -> Shown:
        """How long ago."""
        return ago(section.updated_at)


@admin.register(ConfigRevision)
class ConfigRevisionAdmin(RecordAdmin):
    """What the configuration was before each change."""

    list_display = ("number", "made", "author", "note")
    search_fields = ("author", "note")
    fields = ("created_at", "author", "note", "content")
    list_defer = ("document",)
    actions = ("go_back",)

    @admin.action(description=gettext_lazy("Go back to this configuration"))
    def go_back(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Applies the one that is chosen; what it replaces becomes a revision itself."""
        numbers = list(queryset.values_list("pk", flat=True)[:2])
        if len(numbers) != 1:
            messages.error(request, _("Choose exactly one revision."))
            return
        try:
            report = config_rollback(author=request.user.get_username(), revision=numbers[0])
        except (ConfigInvalid, NotFound) as error:
            messages.error(request, error.message)
        else:
            _tell(request, report)

    @column(gettext_lazy("revision"), order="id")
    def number(self, revision: ConfigRevision) -> str:
        """Its number."""
        return f"#{revision.pk}"

    @column(gettext_lazy("made"), order="created_at")
    def made(self, revision: ConfigRevision) -> Shown:
        """How long ago."""
        return ago(revision.created_at)

    @column(gettext_lazy("document"))
    def content(self, revision: ConfigRevision) -> Shown:
        """Without its secrets."""
        return _shown(revision.document)


def _document_text() -> str:
    return json.dumps(config_get(), indent=2, ensure_ascii=False)


def _shown(document: Any) -> Shown:
    """A stored document; what is encrypted in it is shown as a mark."""
    return json_block(redact(_marked(document)))


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        if SEALED in value:
            return REDACTED
        return {key: _marked(item) for key, item in value.items()}
    return [_marked(item) for item in value] if isinstance(value, list) else value


def _try(request: HttpRequest, form: DocumentForm) -> ConfigReport:
    text, note = form.cleaned_data["text"], form.cleaned_data["note"]
    if "apply" not in request.POST:
        return config_validate(text=text)
    try:
        return config_apply(text=text, author=request.user.get_username(), note=note)
    except ConfigInvalid as error:
        return error.report


def _tell(request: HttpRequest, report: ConfigReport) -> None:
    for issue in report.warnings:
        messages.warning(request, str(issue))
    if report.changed:
        messages.success(request, _("The configuration is changed."))
    else:
        messages.info(request, _("Nothing is different."))
