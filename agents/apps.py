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
        from agents.models import DeviceSignIn, ProfileState
        from agents.plugins.sinks import SINKS
        from agents.signals import main_agent_ensure, rows_changed

        SECTIONS.register("agents", "agents.config.sections.agents:SECTION")
        SECTIONS.register("models", "agents.config.sections.models:SECTION")
        SECTIONS.register("auth", "agents.config.sections.auth:SECTION")
        SECTIONS.register("plugins", "agents.config.sections.plugins:SECTION")
        SECTIONS.register("skills", "agents.config.sections.skills:SECTION")
        SINKS.register("provider", "agents.plugins.contributions:provider_take")
        SINKS.register("stream_wrapper", "agents.plugins.contributions:stream_wrapper_take")
        SINKS.register("context_engine", "agents.plugins.contributions:context_engine_take")
        SINKS.register("memory_backend", "agents.plugins.contributions:memory_backend_take")
        SINKS.register("skills", "agents.plugins.contributions:skills_take")
        SINKS.register("service", "agents.plugins.contributions:service_take")
        # These change all the time and are no settings.
        for model in set(self.get_models()) - {ProfileState, DeviceSignIn}:
            post_save.connect(rows_changed, sender=model, dispatch_uid="agents.cache")
            post_delete.connect(rows_changed, sender=model, dispatch_uid="agents.cache")
        post_migrate.connect(main_agent_ensure, sender=self, dispatch_uid="agents.main")
