"""Enabling and disabling plugins in the configuration."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import orjson
from django.utils.translation import gettext as _

from agents.config.issues import ConfigReport
from agents.config.registry import section
from agents.config.sections.plugins_schema import PluginsDocument
from agents.config.selectors import document_current
from agents.config.services import config_apply
from agents.core.errors import NotFound, UserError
from agents.plugins.discovery import plugins_installed


def plugin_switch(*, plugin_id: str, enabled: bool, author: str = "") -> ConfigReport:
    """Writes into the configuration whether a plugin is loaded by the next start.

    Its settings stay. Raises NotFound for a plugin to be enabled that nothing offers, UserError
    where another rule would forbid it, ConfigInvalid for settings that its schema refuses.
    """
    settings: PluginsDocument = section("plugins")
    if enabled:
        _check(plugin_id, settings)
    document: dict[str, Any] = orjson.loads(orjson.dumps(document_current()))
    plugins = document.setdefault("plugins", {})
    plugins.setdefault("entries", {}).setdefault(plugin_id, {})["enabled"] = enabled
    if enabled and settings.allow is not None and plugin_id not in settings.allow:
        plugins["allow"] = [*settings.allow, plugin_id]
    word = "enable" if enabled else "disable"
    text = orjson.dumps(document)
    return config_apply(text=text, author=author, note=f"plugins {word} {plugin_id}")


def _check(plugin_id: str, settings: PluginsDocument) -> None:
    found = {one.id: one for one in plugins_installed(settings.load.paths)}
    if plugin_id not in found:
        nearest = get_close_matches(plugin_id, found, n=1)
        text = _("There is no plugin %(id)s here.")
        if nearest:
            text = _("There is no plugin %(id)s here; did you mean %(nearest)s?")
        values = {"id": plugin_id, "nearest": nearest[0] if nearest else ""}
        raise NotFound(text % values)
    if problem := found[plugin_id].problem:
        text = _("The plugin %(id)s cannot be loaded: %(problem)s.")
        raise UserError(text % {"id": plugin_id, "problem": problem})
    if plugin_id in settings.deny:
        raise UserError(_("plugins.deny names %(id)s: take it out first.") % {"id": plugin_id})
