"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig


class SchedulerConfig(AppConfig):
    """Registers what the framework itself leaves to be pruned."""

    name = "scheduler"

    def ready(self) -> None:
        """Fills the registries below."""
        from agents.pruning import PRUNERS

        PRUNERS.register("web_sessions", "scheduler.pruning:web_sessions_prune")
