"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig

from tools.registry import register_builtin_tools


class ToolsConfig(AppConfig):
    """Registers the app's entries when Django starts."""

    name = "tools"

    def ready(self) -> None:
        """Registers the section and the built-in tools by name; none of them is imported yet."""
        from agents.config.registry import SECTIONS
        from agents.plugins.sinks import RESERVED_IDS, SINKS
        from agents.pruning import PRUNERS
        from tools.policy.names import CORE_NAMES

        SECTIONS.register("tools", "tools.config_section:TOOLS")
        SECTIONS.register("browser", "tools.browser.settings:BROWSER")
        SECTIONS.register("mcp", "tools.mcp.section:MCP")
        register_builtin_tools()
        RESERVED_IDS.update(CORE_NAMES)
        PRUNERS.register("sandboxes", "tools.sandbox.prune:sandboxes_prune")
        SINKS.register("tool", "tools.plugin_tools:tool_take")
        for kind in ("image_maker", "speech_maker"):
            SINKS.register(kind, f"tools.media.plugin_makers:{kind}_take")
