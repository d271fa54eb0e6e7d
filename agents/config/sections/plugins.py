"""The `plugins` section of the configuration document."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.section import Section
from agents.config.sections.plugins_schema import PluginsDocument
from agents.plugins.discovery import plugins_installed


class PluginsSection(Section[PluginsDocument]):
    """Warns of plugins that are enabled but not installed, and of contradictions."""

    def check(self, typed: PluginsDocument, findings: Findings) -> None:
        """Names what is enabled without effect."""
        if not typed.allow and not typed.entries:
            return
        installed = {found.id for found in plugins_installed()}
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


def _missing(name: str) -> str:
    return _("no installed package offers the plugin %s") % name


SECTION = PluginsSection("plugins", PluginsDocument)
