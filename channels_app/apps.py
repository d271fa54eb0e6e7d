"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig


class ChannelsConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "channels_app"

    def ready(self) -> None:
        """Registers what this app adds to the layers below."""
        from agents.config.registry import SECTIONS

        SECTIONS.register("gateway", "channels_app.config_section:GATEWAY")
