"""The admin of what agents may run."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import OperatorAdmin, RecordAdmin, Shown, column
from agents.admin.fields import SuggestInput
from agents.admin.wording import UNKNOWN, ago, count, json_block
from agents.selectors import agents_list
from agents.signals import rows_changed
from tools.allowances import EVERY_AGENT
from tools.exec_security.patterns import pattern_problem
from tools.models import ExecAllowance, McpCatalogue, SandboxContainer


def agent_names() -> list[str]:
    """Ids of agents and the mark for all of them, for suggestions."""
    return [EVERY_AGENT, *(agent.slug for agent in agents_list())]


class AllowanceForm(forms.ModelForm):  # type: ignore[type-arg]
    """An entry of the list; a pattern that means nothing is refused."""

    class Meta:
        model = ExecAllowance
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["agent_slug"].widget = SuggestInput(agent_names)
        self.fields["agent_slug"].help_text = _("The id of an agent, or * for all.")
        self.fields["pattern"].help_text = _(
            "A path (* and ? within a folder, ** over folders, ~ for the home folder), the bare "
            "name of a program on the PATH, or =command: and a hash for one command."
        )
        self.fields["argument_pattern"].help_text = _(
            "A regular expression for all arguments together, separated by spaces; empty for any."
        )

    def clean(self) -> dict[str, Any]:
        """Pattern and arguments belong together."""
        cleaned = super().clean() or {}
        pattern = cleaned.get("pattern")
        if pattern is not None:
            problem = pattern_problem(pattern, cleaned.get("argument_pattern") or "")
            if problem:
                self.add_error("pattern", problem)
        return cleaned


@admin.register(ExecAllowance)
class ExecAllowanceAdmin(OperatorAdmin):
    """Which commands agents run without anybody being asked."""

    form = AllowanceForm
    list_display = ("pattern", "argument_pattern", "agent_slug", "source", "added_by", "used")
    list_filter = ("source", "agent_slug")
    search_fields = ("pattern", "agent_slug", "command_text")
    readonly_fields = (
        "source", "command_text", "added_by", "created_at", "last_used_at", "last_used_command",
        "last_resolved_path",
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("agent_slug", "pattern", "argument_pattern")}),
        (
            gettext_lazy("Where it came from"),
            {"fields": (("source", "added_by", "created_at"), "command_text")},
        ),
        (
            gettext_lazy("Last use"),
            {"fields": (("last_used_at", "last_resolved_path"), "last_used_command")},
        ),
    )

    @column(gettext_lazy("last used"), order="last_used_at")
    def used(self, row: ExecAllowance) -> Shown:
        """How long ago."""
        return ago(row.last_used_at) if row.last_used_at else UNKNOWN

    def save_model(self, request: HttpRequest, obj: ExecAllowance, form: Any, change: bool) -> None:
        """Notes who added it."""
        if not change:
            obj.added_by = request.user.get_username()[:120]
            obj.source = "admin"
        super().save_model(request, obj, form, change)
        rows_changed(using=DEFAULT_DB_ALIAS)

    def delete_model(self, request: HttpRequest, obj: ExecAllowance) -> None:
        """It holds no more at once."""
        super().delete_model(request, obj)
        rows_changed(using=DEFAULT_DB_ALIAS)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ExecAllowance]) -> None:
        """They hold no more at once."""
        super().delete_queryset(request, queryset)
        rows_changed(using=DEFAULT_DB_ALIAS)


@admin.register(SandboxContainer)
class SandboxContainerAdmin(RecordAdmin):
    """Containers that this gateway has made; `manage.py sandbox recreate` removes them."""

    list_display = ("name", "agent_slug", "scope_key", "image", "made", "used")
    list_filter = ("agent_slug",)
    search_fields = ("name", "scope_key", "image")
    ordering = ("-last_used_at",)
    fields = (
        ("name", "agent_slug"), ("scope_key", "image"), "config_hash",
        ("created_at", "last_used_at"),
    )  # fmt: skip

    @column(gettext_lazy("created"), order="created_at")
    def made(self, row: SandboxContainer) -> Shown:
        """How long ago."""
        return ago(row.created_at)

    @column(gettext_lazy("last used"), order="last_used_at")
    def used(self, row: SandboxContainer) -> Shown:
        """How long ago."""
        return ago(row.last_used_at)


@admin.register(McpCatalogue)
class McpCatalogueAdmin(RecordAdmin):
    """What the workers found when they asked MCP servers last."""

    list_display = ("server", "problem", "offers", "found")
    search_fields = ("server", "problem")
    ordering = ("server",)
    fields = (("server", "changed_at"), "problem", "tools_shown", "notes_shown")

    @column(gettext_lazy("tools"))
    def offers(self, row: McpCatalogue) -> str:
        """How many."""
        return count(len(row.tools))

    @column(gettext_lazy("found"), order="changed_at")
    def found(self, row: McpCatalogue) -> Shown:
        """How long ago."""
        return ago(row.changed_at)

    @column(gettext_lazy("tools"))
    def tools_shown(self, row: McpCatalogue) -> Shown:
        """As the server described them."""
        return json_block(row.tools)

    @column(gettext_lazy("left out"))
    def notes_shown(self, row: McpCatalogue) -> Shown:
        """Tools that nobody could use."""
        return json_block(row.notes)
