"""Fixtures of the session tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import DjangoDbBlocker

from agents.config.cache import cache_clear
from sessions import engine, sweeper
from sessions.turns.listener import prompts_forget
from tests.gateway_client import GatewayClient, connected
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import gateways
from tests.platform.gateway import Gateway
from tests.platform.redis_server import RedisServer
from tests.sessions.gateway_rows import GatewayRows, gateway_rows
from tests.sessions.hook_plugin import Recorder, recorder_installed
from tests.sessions.stage import Stage


@pytest.fixture
async def stage(
    transactional_db: None,
    clean_redis: RedisServer,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Stage]:
    """Engines within the test, whose model is the scripted server."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.openai_url)
    monkeypatch.setenv("OPENCLAW_MODEL", "openai/scripted")
    # Tests call the sweeper and look at stops themselves, when it is time for it.
    monkeypatch.setattr(sweeper, "SWEEP_SECONDS", 3600)
    monkeypatch.setattr(engine, "STOP_POLL_SECONDS", 3600)
    monkeypatch.setattr(engine, "DRAIN_SECONDS", 0.3)
    cache_clear()
    prompts_forget()
    stage = Stage()
    yield stage
    await stage.close()
    cache_clear()


@pytest.fixture
def recorder(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    """A plugin that notes every hook of the stage's engines; the test loads it."""
    with recorder_installed(tmp_path, monkeypatch) as recorder:
        yield recorder


@pytest.fixture(scope="session")
def shared_gateway(request: pytest.FixtureRequest, model_server: ModelServer) -> Iterator[Gateway]:
    """One gateway for all tests of this process that leave its settings alone."""
    with gateways(request.config) as make:
        # Without a key: a credential that rests after a failure would concern other tests.
        yield make(
            OPENAI_BASE_URL=model_server.openai_url,
            OPENCLAW_MODEL="openai/scripted",
        )


@pytest.fixture
async def client(shared_gateway: Gateway) -> AsyncIterator[GatewayClient]:
    """The owner's program, connected to the shared gateway."""
    async with connected(shared_gateway.ws_url, shared_gateway.token) as client:
        yield client


@pytest.fixture
def key() -> str:
    """The key of a session that nobody has used."""
    return f"agent:main:t-{uuid4().hex[:12]}"


@pytest.fixture
def rows(shared_gateway: Gateway, django_db_blocker: DjangoDbBlocker) -> Iterator[GatewayRows]:
    """The rows of the shared gateway."""
    with django_db_blocker.unblock(), gateway_rows(shared_gateway) as rows:
        yield rows
