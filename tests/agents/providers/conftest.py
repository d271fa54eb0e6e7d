"""A model of each vendor, reached over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.providers.registry import ClientPool
from tests.agents.providers.harness import VENDORS, Harness, model_for
from tests.model_server.fixture import ModelServer


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[ClientPool]:
    """The clients of the test's event loop."""
    pool = ClientPool()
    yield pool
    await pool.aclose()


@pytest.fixture
def openai_model(pool: ClientPool, model_server: ModelServer) -> Harness:
    """A Chat Completions model."""
    model_server.reset()
    return Harness(model_for(model_server, "openai-completions"), pool, model_server)


@pytest.fixture
def anthropic_model(pool: ClientPool, model_server: ModelServer) -> Harness:
    """A Messages model."""
    model_server.reset()
    return Harness(model_for(model_server, "anthropic-messages"), pool, model_server)


@pytest.fixture(params=VENDORS)
def llm(request: pytest.FixtureRequest, pool: ClientPool, model_server: ModelServer) -> Harness:
    """Each vendor in turn."""
    model_server.reset()
    return Harness(model_for(model_server, request.param), pool, model_server)
