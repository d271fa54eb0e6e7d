"""Transcripts, and what was said in them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import ago, excerpt, json_block
from sessions.admin.parts import (
    first_text,
    list_link,
    run_link,
    session_link,
)
from sessions.models import Entry, Transcript


@admin.register(Transcript)
class TranscriptAdmin(RecordAdmin):
    """The stretches of sessions between resets."""

    list_display = ("id", "of_session", "began", "ended_at", "end_reason")
    list_filter = ("end_reason", when_filter("session_started_at"))
    list_select_related = ("session",)
    search_fields = ("id", "session__key")
    form_select_related = ("session",)
    fields = (
        "id", "of_session", "said", ("session_started_at", "last_interaction_at"),
        ("ended_at", "end_reason"),
    )  # fmt: skip

    @column(gettext_lazy("session"), order="session")
    def of_session(self, transcript: Transcript) -> Shown:
        """The conversation."""
        return session_link(transcript.session)

    @column(gettext_lazy("started"), order="session_started_at")
    def began(self, transcript: Transcript) -> Shown:
        """How long ago."""
        return ago(transcript.session_started_at)

    @column(gettext_lazy("entries"))
    def said(self, transcript: Transcript) -> Shown:
        """To what was said in it."""
        return list_link("entry", _("entries"), q=transcript.pk)


@admin.register(Entry)
class EntryAdmin(RecordAdmin):
    """Every line of every transcript."""

    list_display = ("seq", "said", "role", "type", "of_session", "of_run", "when")
    list_display_links = ("said",)
    list_filter = ("role", "type", when_filter("created_at"))
    list_select_related = ("transcript__session",)
    list_cut = "body"
    list_defer = ("body",)
    search_fields = ("=entry_id", "=run_id", "=transcript__id", "=transcript__session__key")
    search_help_text = gettext_lazy("Session key, run id, entry id")
    ordering = ("-id",)
    form_select_related = ("transcript__session",)
    fields = (
        ("of_session", "of_run"), ("entry_id", "parent_id"), ("role", "type"),
        ("seq", "created_at"),
        "body_shown",
    )  # fmt: skip

    @column(gettext_lazy("content"))
    def said(self, entry: Any) -> str:
        """Its first words."""
        return excerpt(first_text(entry.beginning), 90) or _("(no text)")

    @column(gettext_lazy("session"))
    def of_session(self, entry: Entry) -> Shown:
        """The conversation."""
        return session_link(entry.transcript.session)

    @column(gettext_lazy("run"), order="run_id")
    def of_run(self, entry: Entry) -> Shown:
        """To the run's timeline."""
        return run_link(entry.run_id)

    @column(gettext_lazy("written"), order="created_at")
    def when(self, entry: Entry) -> Shown:
        """How long ago."""
        return ago(entry.created_at)

    @column(gettext_lazy("content"))
    def body_shown(self, entry: Entry) -> Shown:
        """The message itself."""
        return json_block(entry.body)
