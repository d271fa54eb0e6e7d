"""Plugins as packages: a module and the metadata that pip would leave beside it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest


class PluginFolder:
    """A folder on the path of imports, into which packages are put as pip does it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules: list[str] = []

    def install(self, plugin: str, source: str, *, version: str = "1.2.3", target: str = "") -> str:
        """Puts a package there that offers `plugin`; returns the name of its module.

        `target` is what the entry point names inside of the module, if not the module itself.
        """
        module = f"plugin_{plugin.replace('-', '_')}"
        (self.folder / f"{module}.py").write_text(source, encoding="utf-8")
        metadata = self.folder / f"{module}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n", encoding="utf-8"
        )
        value = f"{module}:{target}" if target else module
        (metadata / "entry_points.txt").write_text(
            f"[openclaw.plugins]\n{plugin} = {value}\n", encoding="utf-8"
        )
        self._modules.append(module)
        importlib.invalidate_caches()
        return module

    def clear(self) -> None:
        """Forgets what was imported."""
        for module in self._modules:
            sys.modules.pop(module, None)


def plugin_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> PluginFolder:
    """A folder for packages, on the path until the end of the test."""
    monkeypatch.syspath_prepend(str(folder))
    return PluginFolder(folder)
