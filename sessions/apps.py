"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_save
from django.utils.translation import gettext_lazy as _


class SessionsConfig(AppConfig):
    """The label differs from the package because django.contrib.sessions owns "sessions"."""

    name = "sessions"
    label = "agent_sessions"
    verbose_name = _("Conversations and runs")

    def ready(self) -> None:
        """Registers what this app adds to the layers below."""
        from agents.config.cache import LISTENERS
        from agents.config.registry import SECTIONS
        from agents.credentials.listeners import STATE_LISTENERS
        from agents.pruning import PRUNERS
        from agents.signals import rows_changed
        from sessions.context.watchers import AFTER_COMPACTION, BEFORE_COMPACTION
        from sessions.wakes import WAKE_SINKS
        from tools.registry import TOOLS
        from tools.sinks import BACKGROUND_ENDED, BACKGROUND_SEEN

        SECTIONS.register("session", "sessions.config_section:SESSION")
        SECTIONS.register("messages", "sessions.config_section:MESSAGES")
        SECTIONS.register("approvals", "sessions.approvals.config_section:APPROVALS")
        LISTENERS.register("processes", "sessions.live:settings_changed")
        STATE_LISTENERS.register("processes", "sessions.live:credentials_changed")
        PRUNERS.register("signin_links", "sessions.people:signin_links_prune")
        PRUNERS.register("approvals", "sessions.approvals.programs:approvals_prune")
        SECTIONS.register("budgets", "sessions.budgets.config_section:BUDGETS")
        PRUNERS.register("system_events", "sessions.system_events.services:system_events_prune")
        WAKE_SINKS.register("inbox", "sessions.wakes:inbox_wake")
        BACKGROUND_ENDED.register("events", "sessions.system_events.background:background_ended")
        BACKGROUND_SEEN.register("events", "sessions.system_events.background:background_seen")
        PRUNERS.register("budget_holds", "sessions.budgets.services:budget_holds_prune")
        BEFORE_COMPACTION.register("hooks", "sessions.turns.hook_compaction:compaction_begins")
        AFTER_COMPACTION.register("hooks", "sessions.turns.hook_compaction:compaction_ended")
        TOOLS.register("read_result", "sessions.agent_tools:READ_RESULT")
        TOOLS.register("session_status", "sessions.session_status:SESSION_STATUS")
        budget = self.get_model("Budget")
        for changed in (post_save, post_delete):
            changed.connect(rows_changed, sender=budget, dispatch_uid="agents.cache")
