"""The switch that stops everything, and messages that come meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from agents.database import run_db
from agents.models import Agent
from tests.gateway_client import GatewayClient, text_of
from tests.platform.gateway import Gateway
from tests.sessions.stage import Stage


@pytest.fixture
async def switch(shared_gateway: Gateway) -> AsyncIterator[Gateway]:
    """The gateway, which goes on in any case afterwards."""
    yield shared_gateway
    await asyncio.to_thread(shared_gateway.manage, "resume")


async def test_it_works(client: GatewayClient, switch: Gateway, key: str) -> None:
    """What runs is stopped, what comes waits, and goes on later."""
    running = await client.send(key, "[[tokens:3000:20]]")
    await client.until_streaming(running)
    await asyncio.to_thread(switch.manage, "pause")
    assert (await client.ended(running)).state == "aborted"
    waiting = await client.send(key, "[[echo:at last]]")
    other = await client.send(f"{key}-other", "[[echo:me too]]")
    history = await client.request("chat.history", {"sessionKey": key})
    assert [item["runId"] for item in history["pendingInputs"]["items"]] == [waiting]
    await asyncio.to_thread(switch.manage, "resume")
    assert (await client.ended(waiting)).text == "at last"
    assert (await client.ended(other)).text == "me too"
    assert text_of((await client.history(key))[-1]) == "at last"


async def test_waiting_messages_can_be_stopped(
    client: GatewayClient, switch: Gateway, key: str
) -> None:
    """Nobody has to wait for the switch to change their mind."""
    await asyncio.to_thread(switch.manage, "pause")
    run = await client.send(key, "never mind")
    assert "switch" in (await client.turn(key, "/status")).text
    answer = await client.request("chat.abort", {"sessionKey": key, "runId": run})
    assert answer["runIds"] == [run]
    assert (await client.ended(run)).state == "aborted"


async def test_an_agent_that_is_switched_off(stage: Stage) -> None:
    """Its messages are explained at once; switched on again it answers."""
    engine = await stage.engine()
    off = {"is_default": True, "enabled": False}
    first = await stage.accept("[[echo:hello]]")
    engine.submit(first.session_id)
    await stage.ended(first)
    await run_db(lambda: Agent.objects.update_or_create(slug="main", defaults=off))
    second = await stage.accept("anybody there?")
    engine.submit(second.session_id)
    item = await stage.ended(second)
    assert item.run is not None
    assert item.outcome == "explained"
    assert item.run.error_message.startswith("The agent main is switched off.")
    await run_db(lambda: Agent.objects.filter(slug="main").update(enabled=True))
    engine.control({"t": "settings"})
    third = await stage.accept("[[echo:back again]]")
    engine.submit(third.session_id)
    assert (await stage.ended(third)).outcome == "answered"
    await stage.idle(engine)
    assert await stage.faults() == []


async def test_switched_off_in_the_middle_of_a_turn(stage: Stage) -> None:
    """A turn that was left by its worker is explained, not carried on."""
    engine = await stage.engine("w1")
    accepted = await stage.accept('[[tool:exec {"command":"sleep 60"}]]')
    engine.submit(accepted.session_id)
    await stage.running(accepted)
    await stage.until(lambda: _tool_runs(stage, accepted.session_id))
    await engine.drain()
    off = {"is_default": True, "enabled": False}
    await run_db(lambda: Agent.objects.update_or_create(slug="main", defaults=off))
    again = await stage.engine("w2")
    again.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.outcome == "explained"
    await stage.idle(again)
    assert await stage.faults() == []


async def _tool_runs(stage: Stage, session_id: str) -> bool:
    return any(record["t"] == "tool.start" for record in await stage.live_records(session_id))
