"""Fixtures of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How fast the machine is says nothing about the code.
settings.register_profile(
    "steady", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("steady")

pytest_plugins = ["tests.model_server.fixture", "tests.platform.fixtures"]
