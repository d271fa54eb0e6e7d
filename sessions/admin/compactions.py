"""How histories were made shorter."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import ago, count, excerpt, json_block
from sessions.admin.parts import run_link, session_link
from sessions.models import Compaction


@admin.register(Compaction)
class CompactionAdmin(RecordAdmin):
    """Every try to replace old history by a summary, with its diagnosis."""

    list_display = ("ended", "trigger", "of_session", "of_run", "tokens", "took", "made", "why")
    list_display_links = ("trigger",)
    list_filter = ("outcome", when_filter("created_at"), "trigger", "reason")
    list_select_related = ("session",)
    list_defer = ("top", "session__settings", "session__origin")
    search_fields = ("=run__id", "=session__key", "=diagnostic", "error")
    ordering = ("-id",)
    search_help_text = gettext_lazy("Run id, session key, diagnostic id, words of the error")
    form_select_related = ("session",)
    fields = (
        ("trigger", "attempt"),
        ("outcome", "reason"),
        "error",
        ("of_session", "of_run"),
        ("diagnostic", "entry_id"),
        ("provider", "model"),
        ("messages_before", "messages_kept"),
        ("tokens_before", "tokens_after"),
        ("history_chars", "tool_result_chars"),
        ("created_at", "took"),
        "heaviest",
    )

    @column(
        gettext_lazy("outcome"),
        order="outcome",
        label={"done": GOOD, "skipped": "", "failed": BAD},
    )
    def ended(self, row: Compaction) -> tuple[str, str]:
        """How it ended."""
        return row.outcome, row.get_outcome_display()

    @column(gettext_lazy("session"), order="session__key")
    def of_session(self, row: Compaction) -> Shown:
        """The conversation."""
        return session_link(row.session)

    @column(gettext_lazy("run"), order="run")
    def of_run(self, row: Compaction) -> Shown:
        """To the timeline of the run that it was made in."""
        return run_link(row.run_id or "")

    @column(gettext_lazy("tokens"), order="tokens_before")
    def tokens(self, row: Compaction) -> str:
        """Before and after."""
        return f"{count(row.tokens_before)} → {count(row.tokens_after)}"

    @column(gettext_lazy("took"), order="duration_ms")
    def took(self, row: Compaction) -> str:
        """In seconds."""
        return f"{row.duration_ms / 1000:.1f} s"

    @column(gettext_lazy("made"), order="created_at")
    def made(self, row: Compaction) -> Shown:
        """How long ago."""
        return ago(row.created_at)

    @column(gettext_lazy("reason"))
    def why(self, row: Compaction) -> str:
        """Why nothing came of it."""
        return excerpt(row.error or row.reason, 60)

    @column(gettext_lazy("heaviest messages"))
    def heaviest(self, row: Compaction) -> Shown:
        """What weighed most."""
        return json_block(row.top)
