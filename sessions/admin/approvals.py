"""What agents ask before they do it, and what was decided."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import BAD, GOOD, WAITS, RecordAdmin, Shown, column
from agents.admin.filters import AgentFilter, when_filter
from agents.admin.wording import ago, excerpt, json_block, text_block
from sessions.admin.parts import principal_of, run_link, session_link
from sessions.approvals.services import approval_resolve
from sessions.approvals.shapes import command_text
from sessions.models import Approval

_STATES = {
    "pending": WAITS, "allow-once": GOOD, "allow-always": GOOD, "deny": BAD, "expired": BAD,
    "withdrawn": WAITS,
}  # fmt: skip


@admin.register(Approval)
class ApprovalAdmin(RecordAdmin):
    """Every question, and its answer."""

    list_display = (
        "standing", "code", "asked", "agent_slug", "asked_of", "began", "decided_by", "ends",
    )  # fmt: skip
    list_display_links = ("code",)
    list_filter = ("state", when_filter("created_at"), AgentFilter, "kind", "origin")
    search_fields = ("=id", "=slug", "tool", "reason", "session__key")
    search_help_text = gettext_lazy("Code, id, tool, words of the reason, session key")
    ordering = ("-created_at",)
    date_hierarchy = "created_at"
    form_select_related = ("run", "session")
    fields = (
        ("slug", "id"), ("state", "kind"), ("of_session", "of_run"), ("asked_of", "origin"),
        "tool", "command_shown", "reason", "arguments_shown", "facts_shown",
        ("created_at", "expires_at"), ("decided_by", "decided_through"),
        ("decided_at", "notified_at"),
    )  # fmt: skip
    actions = ("allow_once", "allow_always", "deny")

    @admin.action(description=gettext_lazy("Allow once"))
    def allow_once(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """The calls run; the next ones are asked about again."""
        self._decide(request, queryset, Approval.State.ALLOWED_ONCE)

    @admin.action(description=gettext_lazy("Always allow"))
    def allow_always(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """The calls run, and nobody is asked about their like any more."""
        self._decide(request, queryset, Approval.State.ALLOWED_ALWAYS)

    @admin.action(description=gettext_lazy("Deny"))
    def deny(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """The calls do not run; the agent is told."""
        self._decide(request, queryset, Approval.State.DENIED)

    def _decide(
        self, request: HttpRequest, queryset: QuerySet[Any], decision: Approval.State
    ) -> None:
        principal = principal_of(request)
        self.each(
            request,
            queryset,
            lambda approval: approval_resolve(
                ref=approval.pk, decision=decision, principal=principal, through="admin"
            ),
            lambda n: ngettext("%(n)d is decided.", "%(n)d are decided.", n) % {"n": n},
        )

    @column(gettext_lazy("state"), order="state", label=_STATES)
    def standing(self, approval: Approval) -> tuple[str, str]:
        """Waiting, or how it ended."""
        return approval.state, approval.get_state_display()

    @column(gettext_lazy("code"), order="slug")
    def code(self, approval: Approval) -> str:
        """What people type."""
        return approval.slug

    @column(gettext_lazy("what would run"))
    def asked(self, approval: Approval) -> str:
        """What would run."""
        return excerpt(command_text(approval), 90)

    @column(gettext_lazy("asked"), order="created_at")
    def began(self, approval: Approval) -> Shown:
        """How long ago."""
        return ago(approval.created_at)

    @column(gettext_lazy("expires"), order="expires_at")
    def ends(self, approval: Approval) -> Shown:
        """When its time is over."""
        return ago(approval.expires_at)

    @column(gettext_lazy("what would run"))
    def command_shown(self, approval: Approval) -> Shown:
        """The whole of it."""
        return text_block(command_text(approval))

    @column(gettext_lazy("arguments"))
    def arguments_shown(self, approval: Approval) -> Shown:
        """Those of the call."""
        return json_block(approval.arguments)

    @column(gettext_lazy("facts"))
    def facts_shown(self, approval: Approval) -> Shown:
        """What was known beside them, and what an allow-always stores."""
        return json_block(approval.facts)

    @column(gettext_lazy("session"))
    def of_session(self, approval: Approval) -> Shown | str:
        """The conversation that asks."""
        return session_link(approval.session) if approval.session is not None else ""

    @column(gettext_lazy("run"))
    def of_run(self, approval: Approval) -> Shown | str:
        """The turn that waits."""
        return run_link(approval.run_id) if approval.run_id is not None else ""
