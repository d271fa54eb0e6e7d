"""Fixtures of all tests."""

from __future__ import annotations

pytest_plugins = ["tests.model_server.fixture", "tests.platform.fixtures"]
