"""A whole gateway answers over services that need more than a key."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.model_server.fixture import ModelServer
from tests.model_server.github import GITHUB_TOKEN
from tests.platform.fixtures import GatewayFactory

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("service", ["copilot", "bedrock"])
def test_it_works(gateway_factory: GatewayFactory, model_server: ModelServer, service: str) -> None:
    httpx.post(f"{model_server.url}/__github", json={"reset": True})
    if service == "copilot":
        variables: dict[str, Any] = {
            "COPILOT_GITHUB_URL": model_server.url,
            "COPILOT_GITHUB_TOKEN": GITHUB_TOKEN,
            "OPENCLAW_MODEL": "github-copilot/gpt-4.1",
        }
    else:
        variables = {
            "AWS_ACCESS_KEY_ID": "AKIASCRIPTED",
            "AWS_SECRET_ACCESS_KEY": "scripted/secret",
            "AWS_REGION": "eu-west-1",
            "ANTHROPIC_BEDROCK_BASE_URL": model_server.url,
            "OPENCLAW_MODEL": "amazon-bedrock/global.anthropic.claude-sonnet-5-5",
        }
    gateway = gateway_factory(**variables)
    assert "it arrived" in gateway.manage("agent", "--message", "[[echo:it arrived]]")
