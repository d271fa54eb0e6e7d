"""Clients are made once, when first needed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from agents.core.abort import AbortSignal
from agents.core.model import Done, Start
from agents.models import Provider
from agents.providers import registry
from agents.providers.registry import APIS, ClientPool
from agents.providers.rehearsal.client import REHEARSAL_MODEL
from tests.agents.providers.harness import Harness, model_for
from tests.model_server.fixture import ModelServer

HERE = ModelServer("http://127.0.0.1:9")
OPENAI = model_for(HERE, "openai-completions")
ANTHROPIC = model_for(HERE, "anthropic-messages")

LAZY = """
import sys
from agents.providers.registry import ClientPool
import agents.providers.rehearsal.client, agents.providers.rehearsal.scripts
ClientPool()
heavy = {"openai", "anthropic", "httpx2", "aiohttp", "django"} & set(sys.modules)
sys.exit(str(heavy) if heavy else 0)
"""


async def test_it_works(pool: ClientPool) -> None:
    first = await pool.client(OPENAI)
    assert await pool.client(replace(OPENAI, id="another-model")) is first
    assert await pool.client(replace(OPENAI, api_key="another")) is not first
    assert await pool.client(replace(OPENAI, base_url="http://x/v1")) is not first
    assert await pool.client(ANTHROPIC) is not first


async def test_many_first_calls_make_one_client(pool: ClientPool) -> None:
    clients = await asyncio.gather(*(pool.client(OPENAI) for _ in range(20)))
    assert len(set(map(id, clients))) == 1


async def test_old_clients_are_closed_when_idle(
    pool: ClientPool, openai_model: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys that change must not leave clients behind, nor end a call that is made."""
    monkeypatch.setattr(registry, "_MOST_CLIENTS", 1)
    stream = pool.stream(openai_model.request("[[tokens:5:5]]"), AbortSignal())
    first = await anext(stream)
    for number in range(3):
        assert (await openai_model.call("hi", model={"api_key": f"sk-{number}"})).done.text == "ok"
    rest = [event async for event in stream]
    assert isinstance(first, Start)
    assert isinstance(rest[-1], Done)
    assert (await openai_model.call("hi")).done.text == "ok"


async def test_pool_can_be_used_again_after_closing(pool: ClientPool) -> None:
    first = await pool.client(REHEARSAL_MODEL)
    await pool.aclose()
    assert await pool.client(REHEARSAL_MODEL) is not first


def test_pool_stays_on_its_loop() -> None:
    pool = ClientPool()
    asyncio.run(_made(pool))
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(_made(pool))


async def _made(pool: ClientPool) -> None:
    await pool.client(REHEARSAL_MODEL)


def test_vendor_libraries_are_imported_when_first_used() -> None:
    found = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_names_are_those_of_the_configuration() -> None:
    assert set(APIS.names()) == {*Provider.Api.values, "rehearsal"}


async def test_retries_and_connection_caps_are_off(pool: ClientPool) -> None:
    for model in (OPENAI, ANTHROPIC):
        sdk = (await pool.client(model)).sdk  # type: ignore[attr-defined]
        assert sdk.max_retries == 0
        assert sdk._client._transport.limits.max_connections == 5_000
