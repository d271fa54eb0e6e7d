"""Which plugins there are: entry points of installed packages, and folders with a manifest.

Only metadata and manifests are read; no plugin is imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from django.conf import settings

from agents.plugins.folders import PluginFolder, plugin_folders
from agents.plugins.imports import folder_import
from agents.plugins.manifest import Manifest

GROUP = "openclaw.plugins"
# The folder in OPENCLAW_HOME.
FOLDER = "plugins"


@dataclass(frozen=True, slots=True)
class Installed:
    """A plugin that a package or a folder offers. `problem` says why it cannot be used."""

    id: str
    entry_point: EntryPoint | None = None
    package: str = ""
    version: str = ""
    folder: Path | None = None
    manifest: Manifest | None = None
    problem: str = ""

    @property
    def config_schema(self) -> Mapping[str, Any]:
        """The schema of its settings, empty when it states none."""
        return self.manifest.config_schema if self.manifest else {}

    def load(self) -> Any:
        """Imports it. Raises whatever that raises."""
        if self.folder is not None and self.manifest is not None:
            return folder_import(self.id, self.folder, self.manifest.module)
        if self.entry_point is None:
            raise ImportError(f"The plugin {self.id!r} has nothing that could be imported.")
        return self.entry_point.load()


def plugins_installed(paths: Iterable[str] = ()) -> list[Installed]:
    """Every offered plugin in order of its id. `paths` are folders beside that in OPENCLAW_HOME.

    Of several with the same id a package comes before a folder, and then the first one.
    """
    found: dict[str, Installed] = {}
    for point in _points():
        package = point.dist
        found.setdefault(
            point.name,
            Installed(
                id=point.name,
                entry_point=point,
                package=package.name if package else "",
                version=package.version if package else "",
            ),
        )
    for folder in plugin_folders(_roots(paths)):
        found.setdefault(folder.manifest.id, _of_folder(folder))
    return [found[name] for name in sorted(found)]


def plugins_home() -> Path:
    """The folder of plugins in OPENCLAW_HOME; it need not exist."""
    return Path(settings.OPENCLAW.home) / FOLDER


def _roots(paths: Iterable[str]) -> list[Path]:
    return [plugins_home(), *(Path(path).expanduser() for path in paths)]


def _of_folder(folder: PluginFolder) -> Installed:
    manifest = folder.manifest
    return Installed(
        id=manifest.id,
        version=manifest.version,
        package=str(folder.path),
        folder=folder.path,
        manifest=manifest,
        problem=folder.problem,
    )


def _points() -> Iterable[EntryPoint]:
    return entry_points(group=GROUP)
