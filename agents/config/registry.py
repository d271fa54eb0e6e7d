"""The sections of the configuration document; each app registers its own when Django starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents.core.registry import Registry

if TYPE_CHECKING:
    from agents.config.section import Section

SECTIONS: Registry[Section[Any]] = Registry("configuration section")

# automation.md 7.3: known to the reference, kept word for word until an app registers them.
KNOWN_KEYS: tuple[str, ...] = (
    "$schema", "meta", "env", "wizard", "diagnostics", "logging", "cli", "crestodian", "update",
    "browser", "ui", "secrets", "auth", "accessGroups", "acp", "models", "nodeHost", "agents",
    "tools", "bindings", "broadcast", "audio", "media", "messages", "commands", "approvals",
    "session", "cron", "commitments", "hooks", "web", "channels", "discovery", "canvasHost",
    "talk", "gateway", "memory", "mcp", "skills", "plugins", "surfaces", "proxy",
)  # fmt: skip
# Read by the document's own machinery although no app registers them.
USED_KEYS: tuple[str, ...] = ("$schema", "env")


def section(name: str) -> Any:
    """The settings of one section with defaults filled in: an instance of its model.

    Costs well under 50 µs when it was asked for a moment ago. Raises KeyError for a
    section that no app registered.
    """
    from agents.config.selectors import section_read

    return section_read(name)
