"""Tool calls: verdict, what went in, what came out."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, RUNS, WAITS, RecordAdmin, Shown, column
from agents.admin.filters import WhenFilter, agent_filter
from agents.admin.wording import ago, excerpt, json_block, length
from sessions.admin.parts import run_link
from sessions.models import ToolCall


@admin.register(ToolCall)
class ToolCallAdmin(RecordAdmin):
    """Every tool call: verdict, what went in, what came out."""

    list_display = ("standing", "name", "with_what", "of_run", "agent", "began", "took", "judged")
    list_display_links = ("name",)
    list_filter = ("state", WhenFilter, agent_filter("run__agent_slug"), "verdict")
    list_select_related = ("run",)
    list_cut = "arguments"
    list_defer = (
        "arguments", "result", "details", "run__agent", "run__reply", "run__resumed",
    )  # fmt: skip
    search_fields = ("=run__id", "=run__wire_id", "name", "=call_id")
    ordering = ("-id",)
    search_help_text = gettext_lazy("Run id, tool, call id")
    form_select_related = ("run",)
    fields = (
        ("of_run", "name"),
        ("state", "repeatable"),
        ("verdict", "verdict_reason"),
        ("call_id", "entry_id"),
        ("started_at", "took"),
        "arguments_shown",
        "result_shown",
        "details_shown",
    )

    @column(gettext_lazy("state"), order="state", label={
        "pending": "", "started": RUNS, "done": GOOD, "failed": BAD, "denied": WAITS,
        "interrupted": WAITS,
    })  # fmt: skip
    def standing(self, call: ToolCall) -> tuple[str, str]:
        """How it ended."""
        return call.state, call.get_state_display()

    @column(gettext_lazy("arguments"))
    def with_what(self, call: Any) -> str:
        """Their beginning."""
        return excerpt(call.beginning, 80)

    @column(gettext_lazy("run"), order="run")
    def of_run(self, call: ToolCall) -> Shown:
        """To the run's timeline."""
        return run_link(call.run_id)

    @column(gettext_lazy("agent"), order="run__agent_slug")
    def agent(self, call: ToolCall) -> str:
        """Whose call it was."""
        return call.run.agent_slug

    @column(gettext_lazy("started"), order="started_at")
    def began(self, call: ToolCall) -> Shown:
        """How long ago."""
        return ago(call.started_at)

    @column(gettext_lazy("took"))
    def took(self, call: ToolCall) -> str:
        """From start to end."""
        return length(call.started_at, call.ended_at)

    @column(gettext_lazy("verdict"), order="verdict")
    def judged(self, call: ToolCall) -> str:
        """What the policy said, and why."""
        return excerpt(f"{call.verdict} {call.verdict_reason}", 60)

    @column(gettext_lazy("arguments"))
    def arguments_shown(self, call: ToolCall) -> Shown:
        """As the model gave them."""
        return json_block(call.arguments)

    @column(gettext_lazy("result"))
    def result_shown(self, call: ToolCall) -> Shown:
        """As the model saw it."""
        return json_block(call.result)

    @column(gettext_lazy("details"))
    def details_shown(self, call: ToolCall) -> Shown:
        """For people only."""
        return json_block(call.details)
