"""What sessions were told by the gateway itself, or will be told."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import ago, excerpt, text_block
from sessions.admin.parts import run_link, session_link
from sessions.models import SystemEvent


@admin.register(SystemEvent)
class SystemEventAdmin(RecordAdmin):
    """Lines for the model of a session, each shown to it once."""

    list_display = ("said", "source", "of_session", "of_run", "trusted", "made")
    list_filter = ("source", "trusted", when_filter("created_at"))
    list_select_related = ("session",)
    list_defer = ("session__settings", "session__origin")
    search_fields = ("text", "=session__key", "=run__id", "context_key")
    ordering = ("-id",)
    search_help_text = gettext_lazy("Words, session key, run id")
    form_select_related = ("session",)
    fields = (
        ("source", "trusted"),
        "whole",
        ("of_session", "of_run"),
        "context_key",
        ("created_at", "taken_at"),
    )

    @column(gettext_lazy("text"))
    def said(self, event: SystemEvent) -> str:
        """How it begins."""
        return excerpt(event.text, 80)

    @column(gettext_lazy("text"))
    def whole(self, event: SystemEvent) -> Shown:
        """All of it."""
        return text_block(event.text)

    @column(gettext_lazy("session"), order="session__key")
    def of_session(self, event: SystemEvent) -> Shown:
        """The conversation."""
        return session_link(event.session)

    @column(gettext_lazy("taken by"), order="run")
    def of_run(self, event: SystemEvent) -> Shown:
        """To the timeline of the run that took it."""
        return run_link(event.run_id or "")

    @column(gettext_lazy("happened"), order="created_at")
    def made(self, event: SystemEvent) -> Shown:
        """How long ago."""
        return ago(event.created_at)
