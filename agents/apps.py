"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "agents"
