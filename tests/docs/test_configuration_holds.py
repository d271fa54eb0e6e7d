"""What the documents say of the `gateway` section is what a running gateway does."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway, wait_for

pytestmark = pytest.mark.exhaustive

TOKEN = "a-token-of-the-configuration"


def apply(gateway: Gateway, **section: Any) -> None:
    """Makes the `gateway` section the configuration of a running gateway."""
    path = gateway.home / "document.json"
    path.write_text(json.dumps({"gateway": section}))
    gateway.manage("config", "apply", str(path))


def status(gateway: Gateway, token: str, method: str = "GET", path: str = "/v1/models") -> int:
    """The status of a call of /v1 with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.request(method, gateway.url + path, headers=headers, json={}).status_code


def test_it_works(gateway_factory: GatewayFactory) -> None:
    gateway = gateway_factory()
    assert status(gateway, gateway.token) == 200
    apply(gateway, auth={"token": TOKEN})
    wait_for(lambda: status(gateway, TOKEN) == 200)
    assert status(gateway, gateway.token) == 401
    complete = ("POST", "/v1/chat/completions")
    assert status(gateway, TOKEN, *complete) == 400
    off = {"endpoints": {"chatCompletions": {"enabled": False}}}
    apply(gateway, auth={"token": TOKEN}, http=off)
    wait_for(lambda: status(gateway, TOKEN, *complete) == 404)


def test_the_environment_goes_first(gateway_factory: GatewayFactory) -> None:
    gateway = gateway_factory(OPENCLAW_GATEWAY_TOKEN="a-token-of-the-environment")
    apply(gateway, auth={"token": TOKEN})
    assert status(gateway, gateway.token) == 200
    assert status(gateway, TOKEN) == 401
