"""The `plugins` section of the configuration document."""

from __future__ import annotations

from pathlib import Path

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.section import Section
from agents.config.sections.plugins_schema import PluginEntry, PluginsDocument
from agents.plugins.discovery import Installed, plugins_installed
from agents.plugins.manifest import config_problems
from agents.plugins.sinks import id_problem


class PluginsSection(Section[PluginsDocument]):
    """Warns of plugins that are enabled but not installed, and of contradictions."""

    def check(self, typed: PluginsDocument, findings: Findings) -> None:
        """Names what is enabled without effect."""
        for index, place in enumerate(typed.load.paths):
            if not Path(place).expanduser().is_dir():
                findings.warn(self.path("load", "paths", index), _("there is no such folder"))
        if not typed.allow and not typed.entries:
            return
        installed = {found.id: found for found in plugins_installed(typed.load.paths)}
        for index, name in enumerate(typed.allow or ()):
            if name not in installed:
                findings.warn(self.path("allow", index), _missing(name))
        for name, entry in typed.entries.items():
            path = self.path("entries", name, "enabled")
            if not entry.enabled:
                continue
            if typed.allow is not None and name not in typed.allow:
                findings.warn(path, _("has no effect: plugins.allow does not name %s") % name)
            elif name in typed.deny:
                findings.warn(path, _("has no effect: plugins.deny names %s") % name)
            elif name not in installed and name not in (typed.allow or ()):
                findings.warn(path, _missing(name))
        for name, entry in typed.entries.items():
            if name in installed and (entry.enabled or name in (typed.allow or ())):
                self._check_plugin(installed[name], entry, findings)

    def _check_plugin(self, found: Installed, entry: PluginEntry, findings: Findings) -> None:
        path = self.path("entries", found.id)
        if problem := id_problem(found.id) or found.problem:
            text = _("cannot be loaded: %(problem)s")
            findings.warn((*path, "enabled"), text % {"problem": problem})
        for steps, message in config_problems(found.config_schema, entry.config):
            findings.error((*path, "config", *steps), message)


def _missing(name: str) -> str:
    return _("no installed package or folder offers the plugin %s") % name


SECTION = PluginsSection("plugins", PluginsDocument)
