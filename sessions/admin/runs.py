"""Runs and their calls: what runs now, what failed, and what it took."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import BAD, GOOD, RUNS, WAITS, RecordAdmin, Shown, column, detail_button
from agents.admin.filters import AgentFilter, WhenFilter
from agents.admin.wording import ago, count, excerpt, json_block, length, money, text_block
from sessions.admin.parts import (
    list_link,
    page_link,
    principal_of,
    session_link,
)
from sessions.models import Run
from sessions.stops import run_stop

_STANDING = {"running": RUNS, "parked": WAITS, "final": GOOD, "error": BAD, "aborted": WAITS}


class StandingFilter(SimpleListFilter):
    """How a run stands, state and outcome in one."""

    title = gettext_lazy("state")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Everything that has not ended, and each way to stand."""
        return [
            ("open", _("not ended")),
            *Run.State.choices[:2],
            *((value, words) for value, words in Run.Outcome.choices),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        """Runs that stand so."""
        chosen = self.value()
        if chosen == "open":
            return queryset.exclude(state=Run.State.ENDED)
        if chosen in Run.Outcome.values:
            return queryset.filter(outcome=chosen)
        return queryset.filter(state=chosen) if chosen else queryset


@admin.register(Run)
class RunAdmin(RecordAdmin):
    """Every turn of every agent."""

    list_display = (
        "standing", "asked", "agent_slug", "person", "began", "took", "spent", "timeline",
    )  # fmt: skip
    list_display_links = ("asked",)
    list_filter = (StandingFilter, WhenFilter, AgentFilter, "origin", "error_kind")
    list_select_related = ("person",)
    list_defer = ("agent", "reply", "resumed")
    search_fields = ("id", "wire_id", "preview", "error_message", "session__key")
    search_help_text = gettext_lazy("Run id, words of the message or of the error, session key")
    date_hierarchy = "started_at"
    form_select_related = ("person", "session")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "preview",
                    ("id", "wire_id"),
                    ("state", "outcome"),
                    ("session_shown", "person"),
                    ("calls", "timeline"),
                )
            },
        ),
        (
            gettext_lazy("How it ended"),
            {
                "fields": (
                    ("stop_reason", "stop_by"),
                    "error_kind",
                    "error_message",
                    "reply_shown",
                )
            },
        ),
        (
            gettext_lazy("What it took"),
            {
                "fields": (
                    ("provider", "model"),
                    ("input_tokens", "output_tokens"),
                    ("cache_read_tokens", "cache_write_tokens"),
                    "spent",
                    ("accepted_at", "started_at"),
                    "ended_at",
                )
            },
        ),
        (
            gettext_lazy("Who worked on it"),
            {"fields": (("worker", "resumptions"), "resumed_shown", "agent_shown")},
        ),
    )
    actions = ("stop",)
    actions_detail = ("timeline_open",)

    @admin.action(description=gettext_lazy("Stop what runs"))
    def stop(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Asks each running turn to end; those that have ended are passed over."""
        principal = principal_of(request)
        self.each(
            request,
            queryset.exclude(state=Run.State.ENDED).select_related("session"),
            lambda run: run_stop(
                principal=principal, session_key=run.session.key, run_id=run.wire_id, kind="rpc"
            ),
            lambda n: ngettext("%(n)d run is stopping.", "%(n)d runs are stopping.", n) % {"n": n},
        )

    @detail_button(gettext_lazy("Open the timeline"))
    def timeline_open(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """To the run's own page."""
        return redirect("run", run_id=object_id)

    @column(gettext_lazy("state"), order="state", label=_STANDING)
    def standing(self, run: Run) -> tuple[str, str]:
        """The outcome, or the state of one that has none yet."""
        if run.outcome:
            return run.outcome, run.get_outcome_display()
        return run.state, run.get_state_display()

    @column(gettext_lazy("asked"))
    def asked(self, run: Run) -> str:
        """The message, and why it failed."""
        words = excerpt(run.preview, 70) or _("(no text)")
        if run.outcome != Run.Outcome.ERROR or not run.error_message:
            return words
        return f"{words} — {excerpt(run.error_message, 90)}"

    @column(gettext_lazy("started"), order="started_at")
    def began(self, run: Run) -> Shown:
        """How long ago."""
        return ago(run.started_at)

    @column(gettext_lazy("took"))
    def took(self, run: Run) -> str:
        """From the message to the end."""
        return length(run.accepted_at, run.ended_at)

    @column(gettext_lazy("tokens"), order="output_tokens")
    def tokens(self, run: Run) -> str:
        """In and out."""
        sent = run.input_tokens + run.cache_read_tokens + run.cache_write_tokens
        return f"{count(sent)} / {count(run.output_tokens)}"

    @column(gettext_lazy("cost"), order="cost")
    def spent(self, run: Run) -> str:
        """In dollars."""
        return money(run.cost, known=run.cost_known)

    @column(gettext_lazy("timeline"))
    def timeline(self, run: Run) -> Shown:
        """To the run's own page."""
        return page_link("run", _("open"), run.pk)

    @column(gettext_lazy("session"))
    def session_shown(self, run: Run) -> Shown:
        """The conversation."""
        return session_link(run.session)

    @column(gettext_lazy("calls"))
    def calls(self, run: Run) -> Shown:
        """To the calls of this run."""
        return list_link("modelcall", _("model and tool calls"), q=run.pk)

    @column(gettext_lazy("answer"))
    def reply_shown(self, run: Run) -> Shown:
        """What was said."""
        return text_block(run.reply)

    @column(gettext_lazy("agent at the start"))
    def agent_shown(self, run: Run) -> Shown:
        """The snapshot that the run worked with."""
        return json_block(run.agent)

    @column(gettext_lazy("resumption log"))
    def resumed_shown(self, run: Run) -> Shown:
        """Who took over, and when."""
        return json_block(run.resumed)
