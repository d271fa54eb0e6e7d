"""Fixtures of the session tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agents.config.cache import cache_clear
from sessions import engine, sweeper
from sessions.turns.listener import prompts_forget
from tests.model_server.fixture import ModelServer
from tests.platform.redis_server import RedisServer
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
    cache_clear()
    prompts_forget()
    stage = Stage()
    yield stage
    await stage.close()
    cache_clear()
