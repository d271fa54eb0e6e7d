"""Fixtures that start the real gateway, and what must be undone after a test run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import orjson
import pytest

from agents.database import database_pool_close
from tests.model_server.fixture import ModelServer
from tests.platform.gateway import Gateway, free_port
from tests.platform.redis_server import clean_redis as clean_redis
from tests.platform.redis_server import redis_server as redis_server
from tests.platform.template_home import postgres_database_make, sqlite_home_fill

# A model that thinks and one that does not.
THINKING = {
    "agents": {"defaults": {"models": {"openai/scripted": {}, "openai/plain": {}}}},
    "models": {
        "providers": {
            "openai": {
                "baseUrl": "${OPENAI_BASE_URL}",
                "apiKey": "${OPENAI_API_KEY}",
                "api": "openai-completions",
                "models": [{"id": "scripted", "reasoning": True}, {"id": "plain"}],
            }
        }
    },
}


class GatewayFactory(Protocol):
    """Starts gateways; everything it started is stopped at the end of the module."""

    def __call__(self, *, start: bool = True, empty: bool = False, **variables: str) -> Gateway:
        """A gateway with further environment variables.

        `empty` leaves the home without tables, as on the first start; `start=False` leaves the
        start to the test.
        """


@pytest.fixture(scope="module")
def gateway_factory(request: pytest.FixtureRequest) -> Iterator[GatewayFactory]:
    """Starts as many gateways as a test wants, each with a home of its own."""
    with gateways(request.config) as make:
        yield make


@contextmanager
def gateways(config: pytest.Config) -> Iterator[GatewayFactory]:
    """A factory whose gateways all end with the block; for fixtures of another scope."""
    made: list[Gateway] = []
    cache = Path(config.cache.mkdir("template-home"))

    def make(*, start: bool = True, empty: bool = False, **variables: str) -> Gateway:
        # Short, because a Unix socket's path must fit into it.
        home = Path(tempfile.mkdtemp(prefix="oc-"))
        variables = {**_database_fill(home, cache, empty=empty), **variables}
        gateway = Gateway(home, free_port(), dict(variables))
        made.append(gateway)
        return gateway.start() if start else gateway

    try:
        yield make
    finally:
        for gateway in made:
            gateway.kill()
            shutil.rmtree(gateway.home, ignore_errors=True)


def _database_fill(home: Path, cache: Path, *, empty: bool) -> dict[str, str]:
    url = os.environ.get("DATABASE_URL", "")
    if url.startswith("postgres"):
        return {"DATABASE_URL": postgres_database_make(url, empty=empty)}
    if not empty:
        sqlite_home_fill(home, cache)
    return {}


@pytest.fixture(scope="module")
def gateway(gateway_factory: Callable[..., Gateway]) -> Gateway:
    """A gateway as a newcomer has it: no key, the rehearsal provider."""
    return gateway_factory()


@pytest.fixture(scope="module")
def model_gateway(gateway_factory: Callable[..., Gateway], model_server: ModelServer) -> Gateway:
    """A gateway whose default model is the scripted model server, over Chat Completions."""
    return gateway_factory(
        OPENAI_API_KEY="sk-test",
        OPENAI_BASE_URL=model_server.openai_url,
        OPENCLAW_MODEL="openai/scripted",
    )


@pytest.fixture(scope="module")
def thinking_gateway(
    gateway_factory: Callable[..., Gateway],
    model_server: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Gateway:
    """A gateway with a model that thinks and one that does not."""
    gateway = gateway_factory(
        OPENAI_API_KEY="sk-test",
        OPENAI_BASE_URL=model_server.openai_url,
        OPENCLAW_MODEL="openai/scripted",
    )
    file: Path = tmp_path_factory.mktemp("config") / "openclaw.json"
    file.write_bytes(orjson.dumps(THINKING))
    gateway.manage("config", "apply", str(file))
    return gateway


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Frees the database from the pool's connections before it is dropped."""
    yield
    database_pool_close()
