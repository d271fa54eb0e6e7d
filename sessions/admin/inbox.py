"""What came in, and what became of it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, RUNS, WAITS, RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import ago, excerpt, json_block, text_block
from sessions.admin.parts import run_link, session_link
from sessions.models import InboundReceipt, InboxItem

_OUTCOMES = {
    "waiting": WAITS, "working": RUNS, "answered": GOOD, "merged": GOOD, "steered": GOOD,
    "stopped": WAITS, "summarised": GOOD, "explained": BAD, "refused": BAD,
}  # fmt: skip


@admin.register(InboundReceipt)
class InboundReceiptAdmin(RecordAdmin):
    """Proof that each message was taken once."""

    list_display = ("source", "source_id", "taken")
    list_display_links = ("source_id",)
    list_filter = (when_filter("received_at"),)
    search_fields = ("source", "source_id")
    ordering = ("-id",)
    fields = ("source", "source_id", "digest", "received_at")

    @column(gettext_lazy("received"), order="received_at")
    def taken(self, receipt: InboundReceipt) -> Shown:
        """How long ago."""
        return ago(receipt.received_at)


class OutcomeFilter(SimpleListFilter):
    """What became of a message; also of those whose end is still open."""

    title = gettext_lazy("outcome")
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Open ones first."""
        return [("open", _("not ended")), *InboxItem.Outcome.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The chosen ones."""
        if self.value() is None:
            return queryset
        return queryset.filter(outcome="" if self.value() == "open" else self.value())


@admin.register(InboxItem)
class InboxItemAdmin(RecordAdmin):
    """Every message, and what became of it."""

    list_display = ("standing", "asked", "person", "of_session", "of_run", "came", "why")
    list_display_links = ("asked",)
    list_filter = (OutcomeFilter, when_filter("accepted_at"))
    list_select_related = ("person", "session")
    list_cut = "text"
    list_defer = ("text", "principal", "attachments", "origin", "options")
    search_fields = ("=wire_id", "=session__key", "=run__id", "text")
    search_help_text = gettext_lazy("Run id, session key, words of the message")
    ordering = ("-id",)
    date_hierarchy = "accepted_at"
    form_select_related = ("person", "session")
    fields = (
        ("of_session", "of_run"), ("person", "wire_id"), ("outcome", "detail"), "queue_mode",
        ("accepted_at", "ended_at"), "text_shown", "attachments_shown", "origin_shown",
        "options_shown", "principal_shown",
    )  # fmt: skip

    @column(gettext_lazy("outcome"), order="outcome", label=_OUTCOMES)
    def standing(self, item: InboxItem) -> tuple[str, str]:
        """The outcome, or whether a run has taken it."""
        if item.outcome:
            return item.outcome, item.get_outcome_display()
        return ("working", _("being worked on")) if item.run_id else ("waiting", _("waiting"))

    @column(gettext_lazy("message"))
    def asked(self, item: Any) -> str:
        """Its first words."""
        return excerpt(item.beginning, 80) or _("(no text)")

    @column(gettext_lazy("session"))
    def of_session(self, item: InboxItem) -> Shown:
        """The conversation."""
        return session_link(item.session)

    @column(gettext_lazy("run"))
    def of_run(self, item: InboxItem) -> Shown:
        """To the timeline of the run that answered."""
        return run_link(item.run_id or "")

    @column(gettext_lazy("accepted"), order="accepted_at")
    def came(self, item: InboxItem) -> Shown:
        """How long ago."""
        return ago(item.accepted_at)

    @column(gettext_lazy("detail"))
    def why(self, item: InboxItem) -> str:
        """Why it ended so."""
        return excerpt(item.detail, 60)

    @column(gettext_lazy("text"))
    def text_shown(self, item: InboxItem) -> Shown:
        """The whole message."""
        return text_block(item.text)

    @column(gettext_lazy("attachments"))
    def attachments_shown(self, item: InboxItem) -> Shown:
        """Files that came with it."""
        return json_block(item.attachments)

    @column(gettext_lazy("origin"))
    def origin_shown(self, item: InboxItem) -> Shown:
        """Where it came from."""
        return json_block(item.origin)

    @column(gettext_lazy("options"))
    def options_shown(self, item: InboxItem) -> Shown:
        """What holds for this message alone."""
        return json_block(item.options)

    @column(gettext_lazy("rights of the sender"))
    def principal_shown(self, item: InboxItem) -> Shown:
        """Frozen when it was accepted."""
        return json_block(item.principal)
