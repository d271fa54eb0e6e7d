"""Providers that the environment names. They are never stored."""

from __future__ import annotations

import os
from dataclasses import dataclass

ENVIRONMENT_KEYS: dict[str, str] = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_ADDRESS_VARIABLES: dict[str, str] = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
}
OFFICIAL_ADDRESSES: dict[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
}
MODEL_VARIABLE = "OPENCLAW_MODEL"


@dataclass(frozen=True, slots=True)
class EnvironmentProvider:
    """Where a vendor's service is and the key for it, either may be empty."""

    base_url: str
    api_key: str


def environment_provider(name: str) -> EnvironmentProvider:
    """What the environment says about the vendor `name`. An empty variable counts as unset."""
    return EnvironmentProvider(
        base_url=_variable(_ADDRESS_VARIABLES[name]).rstrip("/"),
        api_key=_variable(ENVIRONMENT_KEYS[name]),
    )


def environment_model() -> str:
    """OPENCLAW_MODEL, the model of everybody, or ""."""
    return _variable(MODEL_VARIABLE)


def environment_signature() -> tuple[str, ...]:
    """Changes whenever one of the variables does."""
    names = (*ENVIRONMENT_KEYS.values(), *_ADDRESS_VARIABLES.values(), "OLLAMA_HOST")
    return tuple(os.environ.get(name, "") for name in names)


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()
