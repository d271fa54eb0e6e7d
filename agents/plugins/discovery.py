"""Which plugins are installed: entry points of installed packages, and nothing else.

Only the packages' metadata is read; no plugin is imported here, and no folder is searched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

GROUP = "openclaw.plugins"


@dataclass(frozen=True, slots=True)
class Installed:
    """A plugin that a package offers. `id` is the entry point's name."""

    id: str
    entry_point: EntryPoint
    package: str = ""
    version: str = ""


def plugins_installed() -> list[Installed]:
    """Every offered plugin in order of its id; the first package that offers an id has it."""
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
    return [found[name] for name in sorted(found)]


def _points() -> Iterable[EntryPoint]:
    return entry_points(group=GROUP)
