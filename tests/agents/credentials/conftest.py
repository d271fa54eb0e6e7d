"""Models, rows and clocks for the tests of credentials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.core.model import ModelInfo
from agents.credentials import refresh
from agents.models import AuthProfile, Provider

LAB = ModelInfo(
    provider="lab", id="small", api="openai-completions", base_url="https://lab.example/v1"
)
OPENAI = ModelInfo(
    provider="openai", id="gpt", api="openai-completions", base_url="https://api.openai.com/v1"
)


def profile_make(name: str, **fields: Any) -> AuthProfile:
    """A stored credential; its provider is what stands before the colon."""
    values: dict[str, Any] = {"provider": name.partition(":")[0], "secret": f"key-of-{name}"}
    return AuthProfile.objects.create(name=name, **{**values, **fields})


def provider_make(name: str, **settings: Any) -> Provider:
    """A provider's row."""
    return Provider.objects.create(
        name=name,
        api="openai-completions",
        base_url=f"https://{name}.example/v1",
        settings=settings,
    )


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """Each test reads for itself."""
    cache_clear()
    refresh._failed_at.clear()
    yield
    cache_clear()
