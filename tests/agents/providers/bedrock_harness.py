"""A Bedrock model on the scripted server, and an environment without AWS in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agents.providers.bedrock.client import chain_forget
from agents.providers.bedrock.credentials import AwsCredentials
from agents.providers.registry import ClientPool
from tests.agents.providers.harness import Harness, model_for
from tests.model_server.fixture import ModelServer

API = "bedrock-converse-stream"
PAIR = AwsCredentials("AKIASCRIPTED", "scripted/secret", region="eu-central-1")


@pytest.fixture
def bedrock(
    pool: ClientPool,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Harness]:
    """The model, signed for with the right pair of keys."""
    model_server.reset()
    nothing = tmp_path_factory.mktemp("aws")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(nothing / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(nothing / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    chain_forget()
    yield Harness(model_for(model_server, API), pool, model_server)
    chain_forget()


def signed_by(harness: Harness, credentials: AwsCredentials) -> Harness:
    """The same model with other credentials."""
    model = replace(harness.model, api_key=credentials.packed())
    return Harness(model, harness.pool, harness.server)
