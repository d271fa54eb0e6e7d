"""What plugins did: each call of a hook's handler."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, WAITS, RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import UNKNOWN, ago, excerpt
from sessions.admin.parts import run_link, session_link
from sessions.models import HookCall

_OUTCOME = {"done": GOOD, "failed": BAD, "timeout": BAD, "blocked": WAITS}


@admin.register(HookCall)
class HookCallAdmin(RecordAdmin):
    """Every call of a handler, also those outside of a run."""

    list_display = ("ended", "hook", "handler", "of_run", "began", "took", "said")
    list_display_links = ("hook",)
    list_filter = ("outcome", when_filter("started_at"), "hook")
    list_select_related = ("item",)
    list_defer = (
        "item__text", "item__principal", "item__attachments", "item__origin", "item__options",
    )  # fmt: skip
    search_fields = ("=run__id", "=run__wire_id", "hook", "handler", "note")
    ordering = ("-id",)
    search_help_text = gettext_lazy("Run id, hook, handler, words of the note")
    form_select_related = ("session", "item")
    fields = (
        ("hook", "handler"),
        ("outcome", "took"),
        "note",
        ("of_run", "of_session"),
        ("started_at", "number"),
    )

    @column(gettext_lazy("outcome"), order="outcome", label=_OUTCOME)
    def ended(self, call: HookCall) -> tuple[str, str]:
        """How it ended."""
        return call.outcome, call.get_outcome_display()

    @column(gettext_lazy("run"))
    def of_run(self, call: HookCall) -> Shown:
        """To the timeline of its run, or of the run that took its message."""
        run = call.run_id or (call.item.run_id if call.item else None)
        return run_link(run or "")

    @column(gettext_lazy("session"))
    def of_session(self, call: HookCall) -> Shown:
        """The conversation it was about, when it was about no run."""
        return session_link(call.session) if call.session else UNKNOWN

    @column(gettext_lazy("started"), order="started_at")
    def began(self, call: HookCall) -> Shown:
        """How long ago."""
        return ago(call.started_at)

    @column(gettext_lazy("took"), order="duration_ms")
    def took(self, call: HookCall) -> str:
        """In milliseconds."""
        return f"{call.duration_ms:.1f} ms"

    @column(gettext_lazy("note"))
    def said(self, call: HookCall) -> str:
        """What it changed, or why it failed."""
        return excerpt(call.note, 60)
