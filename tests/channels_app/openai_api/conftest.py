"""The official client of the API, pointed at a running gateway."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from openai import DefaultHttpxClient, OpenAI

from tests.platform.gateway import Gateway


@pytest.fixture
def client(model_gateway: Gateway) -> Iterator[OpenAI]:
    """The SDK with the gateway's token. It does not retry by itself."""
    with OpenAI(
        base_url=f"{model_gateway.url}/v1",
        api_key=model_gateway.token,
        max_retries=0,
        timeout=60,
        http_client=DefaultHttpxClient(trust_env=False),
    ) as sdk:
        yield sdk


@pytest.fixture
def http(model_gateway: Gateway) -> Iterator[httpx.Client]:
    """Plain HTTP with the gateway's token."""
    headers = {"Authorization": f"Bearer {model_gateway.token}"}
    with httpx.Client(
        base_url=f"{model_gateway.url}/v1", headers=headers, trust_env=False, timeout=60
    ) as plain:
        yield plain
