"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig


class SchedulerConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "scheduler"
