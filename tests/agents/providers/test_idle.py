"""How long a service may be silent."""

from __future__ import annotations

import pytest

from agents.core.addresses import address_is_near
from agents.core.model import ModelInfo
from agents.providers.common.idle import idle_seconds


def test_it_works() -> None:
    """Two minutes, unless the provider states something else."""
    far = ModelInfo("p", "m", "x", base_url="https://api.example.com/v1")
    assert idle_seconds(far) == 120
    stated = ModelInfo("p", "m", "x", base_url="https://api.example.com/v1", timeout_seconds=600)
    assert idle_seconds(stated) == 600


def test_services_close_by() -> None:
    """They have none, or the stated one."""
    assert idle_seconds(ModelInfo("p", "m", "x", base_url="http://localhost:11434/v1")) is None
    stated = ModelInfo("p", "m", "x", base_url="http://localhost:1/v1", timeout_seconds=5)
    assert idle_seconds(stated) == 5


@pytest.mark.parametrize(
    ("address", "near"),
    [
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1/v1", True),
        ("http://10.1.2.3", True),
        ("http://172.31.0.9/v1", True),
        ("http://192.168.0.1/v1", True),
        ("http://100.64.1.1", True),
        ("http://100.128.1.1", False),
        ("http://169.254.1.1", True),
        ("http://[fd00::1]", True),
        ("http://[fe80::1]", True),
        ("http://studio.local:1234/v1", True),
        ("http://vllm:8000/v1", True),
        ("https://8.8.8.8/v1", False),
        ("https://api.openai.com/v1", False),
        ("https://local.example.com", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_addresses(address: str, near: bool) -> None:
    """Loopback, private networks, link-local and names without a domain are close by."""
    assert address_is_near(address) is near
