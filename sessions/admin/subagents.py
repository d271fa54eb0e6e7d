"""Work that one agent handed to another."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import UNKNOWN, ago, excerpt, text_block
from sessions.admin.parts import run_link, session_link
from sessions.models import SubagentRun


@admin.register(SubagentRun)
class SubagentRunAdmin(RecordAdmin):
    """Work that one agent handed to another."""

    list_display = ("named", "state", "outcome", "of_parent", "of_run", "depth", "made")
    list_filter = ("state", "outcome", when_filter("created_at"))
    list_select_related = ("parent",)
    list_defer = ("result",)
    search_fields = ("=id", "=child_run_id", "label", "task", "=parent__key")
    form_select_related = ("parent", "child")
    fields = (
        ("label", "runtime"), ("state", "outcome"), ("reason", "depth"),
        ("of_parent", "of_run"),
        ("created_at", "started_at"), ("ended_at", "announced_at"), "task_shown", "result_shown",
    )  # fmt: skip

    @column(gettext_lazy("task"))
    def named(self, run: SubagentRun) -> str:
        """Its label, or how the task begins."""
        return run.label or excerpt(run.task, 60) or UNKNOWN

    @column(gettext_lazy("parent"))
    def of_parent(self, run: SubagentRun) -> Shown:
        """The conversation that asked."""
        return session_link(run.parent)

    @column(gettext_lazy("run"))
    def of_run(self, run: SubagentRun) -> Shown:
        """To the child's timeline."""
        return run_link(run.child_run_id)

    @column(gettext_lazy("made"), order="created_at")
    def made(self, run: SubagentRun) -> Shown:
        """How long ago."""
        return ago(run.created_at)

    @column(gettext_lazy("task"))
    def task_shown(self, run: SubagentRun) -> Shown:
        """The whole task."""
        return text_block(run.task)

    @column(gettext_lazy("result"))
    def result_shown(self, run: SubagentRun) -> Shown:
        """What came of it."""
        return text_block(run.result)
