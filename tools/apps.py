"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig

from tools.registry import register_builtin_tools


class ToolsConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "tools"

    def ready(self) -> None:
        """Registers the built-in tools by name; none of them is imported yet."""
        from agents.plugins.sinks import SINKS

        register_builtin_tools()
        SINKS.register("tool", "tools.plugin_tools:tool_take")
