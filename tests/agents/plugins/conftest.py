"""Fixtures of the plugin tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.config.cache import cache_clear
from agents.plugins.loader import plugins_unload
from tests.agents.plugins.installed import PluginFolder, plugin_folder


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[PluginFolder]:
    """Where a test installs plugins; nothing of them is left afterwards."""
    cache_clear()
    plugins_unload()
    folder = plugin_folder(tmp_path, monkeypatch)
    yield folder
    plugins_unload()
    folder.clear()
    cache_clear()
