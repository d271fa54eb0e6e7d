"""An agent restarts the gateway: nothing is lost, and the session is told afterwards."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from sessions.models import InboxItem
from tests.gateway_client import GatewayClient, text_of
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway
from tests.sessions.gateway_rows import gateway_rows

KEY = "agent:main:restarts"


@pytest.fixture(scope="module")
def own_gateway(gateway_factory: GatewayFactory, model_server: ModelServer) -> Gateway:
    """A gateway that is restarted."""
    return gateway_factory(
        OPENAI_API_KEY="sk-test",
        OPENAI_BASE_URL=model_server.openai_url,
        OPENCLAW_MODEL="openai/scripted",
    )


def items(alias: str) -> dict[str, InboxItem]:
    """The newest message of each kind of origin."""
    rows = InboxItem.objects.using(alias).order_by("id").select_related("run")
    return {str(item.origin["kind"]): item for item in rows}


async def patiently(client: GatewayClient, method: str, **params: Any) -> dict[str, Any]:
    """The answer, once somebody is there again to give it."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await client.request(method, params)
            except (ConnectionError, TimeoutError):
                await client.reconnect()


async def told(client: GatewayClient, say: str) -> list[str]:
    """The texts of the conversation once the agent has said it."""
    async with asyncio.timeout(90):
        while True:
            rows = (await patiently(client, "chat.history", sessionKey=KEY))["messages"]
            texts = [text_of({"message": row}) for row in rows]
            if texts and texts[-1] == say:
                return texts
            await asyncio.sleep(0.2)


@pytest.mark.exhaustive
async def test_it_works(own_gateway: Gateway, django_db_blocker: DjangoDbBlocker) -> None:
    pids = [own_gateway.pid_of(name) for name in ("web", "worker", "redis")]
    call = json.dumps({"action": "restart", "delayMs": 300, "note": "[[echo:back again]]"})
    client = GatewayClient(own_gateway.ws_url, own_gateway.token)
    await client.reconnect()
    run = await client.send(KEY, f"[[tool:gateway {call}]] [[final:asked for]]")
    texts = await told(client, "back again")
    await client.close()
    web, worker, redis = [own_gateway.pid_of(name) for name in ("web", "worker", "redis")]
    assert (web != pids[0], worker != pids[1], redis == pids[2]) == (True, True, True)
    assert "The gateway was restarted: [[echo:back again]]" in texts[-2]
    with django_db_blocker.unblock(), gateway_rows(own_gateway) as rows:
        found = await rows.read(partial(items))
    asked, wake = found["ws"], found["wake"]
    assert asked.run is not None
    assert (asked.wire_id, asked.outcome, asked.run.resumptions) == (run, "answered", 0)
    assert (wake.outcome, wake.origin["source"]) == ("answered", "restart")
    assert not (own_gateway.home / "restart-note.json").exists()
    assert own_gateway.manage("ledger", "check").strip().endswith("clean")
