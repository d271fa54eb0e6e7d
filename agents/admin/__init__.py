"""The admin of agents, providers and the configuration."""

from __future__ import annotations

from agents.admin import (
    agents,
    bindings,
    configuration,
    credentials,
    device_signin,
    providers,
)

__all__ = ["agents", "bindings", "configuration", "credentials", "device_signin", "providers"]
