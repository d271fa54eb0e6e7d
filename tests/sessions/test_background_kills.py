"""The worker is killed while a command runs in the background: its end is reported all the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from sessions.models import InboxItem
from tests.gateway_client import GatewayClient, connected, text_of
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway
from tests.sessions.gateway_rows import GatewayRows, gateway_rows

KEY = "agent:main:background"
SETTINGS = {"tools": {"exec": {"security": "full", "ask": "off"}}}


@pytest.fixture(scope="module")
def own_gateway(
    gateway_factory: GatewayFactory,
    model_server: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Gateway:
    """A gateway whose worker starts again at once, and that asks nobody about commands."""
    gateway = gateway_factory(
        OPENAI_API_KEY="sk-test",
        OPENAI_BASE_URL=model_server.openai_url,
        OPENCLAW_MODEL="openai/scripted",
        OPENCLAW_BACKOFF_LIMIT="0.1",
    )
    file: Path = tmp_path_factory.mktemp("config") / "openclaw.json"
    file.write_text(json.dumps(SETTINGS))
    gateway.manage("config", "apply", str(file))
    return gateway


@pytest.fixture
def own_rows(own_gateway: Gateway, django_db_blocker: DjangoDbBlocker) -> Iterator[GatewayRows]:
    """The rows of that gateway."""
    with django_db_blocker.unblock(), gateway_rows(own_gateway) as rows:
        yield rows


def wakes(key: str, alias: str) -> list[InboxItem]:
    """What woke a session, oldest first."""
    items = InboxItem.objects.using(alias).filter(session__key=key, origin__kind="wake")
    return list(items.order_by("id").select_related("run"))


async def begun(client: GatewayClient, key: str, go: Path, say: str) -> None:
    """A turn that starts a command which ends as soon as the file `go` is there."""
    command = f"until [ -e {go} ]; do sleep 0.05; done; echo '[[echo:{say}]]'"
    call = json.dumps({"command": command, "background": True})
    ended = await client.turn(key, f"[[tool:exec {call}]] [[final:started]]")
    assert (ended.state, ended.text) == ("final", "started")


async def reported(client: GatewayClient, key: str, say: str) -> list[dict[str, Any]]:
    """The rows of a conversation once the agent has said it."""
    async with asyncio.timeout(40):
        while True:
            rows = await client.history(key)
            if rows and text_of({"message": rows[-1]}) == say:
                return rows
            await asyncio.sleep(0.1)


@pytest.mark.kills
async def test_it_works(own_gateway: Gateway, own_rows: GatewayRows, tmp_path: Path) -> None:
    """Nobody asks: the session wakes, and clients see the answer as any other."""
    async with connected(own_gateway.ws_url, own_gateway.token) as client:
        await begun(client, KEY, tmp_path / "go", "it is built")
        await client.request("sessions.messages.subscribe", {"key": KEY})
        (tmp_path / "go").touch()
        rows = await reported(client, KEY, "it is built")
        (item,) = await own_rows.read(partial(wakes, KEY))
        assert item.run is not None
        assert (item.outcome, item.run.origin) == ("answered", "wake")
        assert rows[-2]["wake"] is True
        assert rows[-2]["said"].startswith("Exec completed (")
        final = await client.ended(item.wire_id)
        assert (final.state, final.text) == ("final", "it is built")
    assert own_gateway.manage("ledger", "check").strip().endswith("clean")


@pytest.mark.kills
async def test_killed_while_it_runs(
    own_gateway: Gateway, own_rows: GatewayRows, tmp_path: Path
) -> None:
    key = f"{KEY}-killed"
    async with connected(own_gateway.ws_url, own_gateway.token) as client:
        await begun(client, key, tmp_path / "go", "it outlived the worker")
        await asyncio.to_thread(own_gateway.kill_worker)
        (tmp_path / "go").touch()
        await reported(client, key, "it outlived the worker")
        assert len(await own_rows.read(partial(wakes, key))) == 1


@pytest.mark.kills
async def test_ended_while_nothing_ran(
    own_gateway: Gateway, own_rows: GatewayRows, tmp_path: Path
) -> None:
    """The whole gateway is away when it ends."""
    key = f"{KEY}-away"
    async with connected(own_gateway.ws_url, own_gateway.token) as client:
        await begun(client, key, tmp_path / "go", "nobody was there")
        assert await asyncio.to_thread(own_gateway.stop) == 0
        (tmp_path / "go").touch()
        await asyncio.to_thread(own_gateway.start)
        await client.reconnect()
        await reported(client, key, "nobody was there")
        assert len(await own_rows.read(partial(wakes, key))) == 1
