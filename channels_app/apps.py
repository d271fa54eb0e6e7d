"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChannelsConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "channels_app"
    verbose_name = _("Programs")

    def ready(self) -> None:
        """Brings the app's configuration section and gateway methods."""
        from agents.config.registry import SECTIONS
        from agents.plugins.sinks import SINKS
        from channels_app.gateway_methods import register

        SECTIONS.register("gateway", "channels_app.config_section:GATEWAY")
        SINKS.register("gateway_method", "channels_app.plugin_methods:method_take")
        register()
