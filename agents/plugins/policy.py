"""Which plugins may be loaded. Pure."""

from __future__ import annotations

from collections.abc import Collection


def refusal(
    plugin_id: str,
    *,
    plugins_enabled: bool,
    allow: Collection[str] | None,
    deny: Collection[str],
    entry_enabled: bool | None,
) -> str:
    """Why a plugin is not loaded, "" when it is. `entry_enabled` None: nothing is said about it.

    An installed package is never enough: an administrator must name the plugin, in `allow` or by
    `entries.<id>.enabled`. Where there is an `allow` list, nothing outside of it is loaded.
    """
    if not plugins_enabled:
        return "plugins.enabled is false"
    if plugin_id in deny:
        return "plugins.deny names it"
    if entry_enabled is False:
        return f"plugins.entries.{plugin_id}.enabled is false"
    if allow is not None:
        return "" if plugin_id in allow else "plugins.allow does not name it"
    if entry_enabled:
        return ""
    return f"not enabled; set plugins.entries.{plugin_id}.enabled to true"
