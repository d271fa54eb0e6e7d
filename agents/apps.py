"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_migrate, post_save
from django.utils.translation import gettext_lazy as _


class AgentsConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "agents"
    verbose_name = _("Agents and models")

    def ready(self) -> None:
        """Registers the sections of this app and keeps the cache in step with the rows."""
        from agents.config.registry import SECTIONS
        from agents.signals import main_agent_ensure, rows_changed

        SECTIONS.register("agents", "agents.config.sections.agents:SECTION")
        SECTIONS.register("models", "agents.config.sections.models:SECTION")
        for model in self.get_models():
            post_save.connect(rows_changed, sender=model, dispatch_uid="agents.cache")
            post_delete.connect(rows_changed, sender=model, dispatch_uid="agents.cache")
        post_migrate.connect(main_agent_ensure, sender=self, dispatch_uid="agents.main")
