"""Ctrl-C in the middle of turns, and the next start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

import pytest
from pytest_django import DjangoDbBlocker

from sessions.models import InboxItem, Run
from tests.gateway_client import GatewayClient, connected, text_of
from tests.model_server.fixture import ModelServer
from tests.platform.gateway import Gateway
from tests.sessions.gateway_rows import GatewayRows, gateway_rows

KEY = "agent:main:restart"
FOREVER = 600_000


@pytest.fixture
def own_rows(model_gateway: Gateway, django_db_blocker: DjangoDbBlocker) -> Iterator[GatewayRows]:
    """The rows of the gateway that is restarted."""
    with django_db_blocker.unblock(), gateway_rows(model_gateway) as rows:
        yield rows


def item_of(run: str, alias: str) -> InboxItem:
    """The message behind a wire id, with its run."""
    return InboxItem.objects.using(alias).select_related("run").get(wire_id=run)


async def restarted(client: GatewayClient, gateway: Gateway, model: ModelServer) -> None:
    """Stops the gateway with Ctrl-C, starts it again with a quick model, and comes back."""
    try:
        assert await asyncio.to_thread(gateway.stop) == 0
    finally:
        model.config(delay_ms=0)
    await asyncio.to_thread(gateway.start)
    await client.reconnect()


async def test_it_works(
    model_gateway: Gateway, model_server: ModelServer, own_rows: GatewayRows
) -> None:
    """A turn behind a tool goes on: the tool is not run again, and nothing is counted against it.

    What waited behind it, and what waited in another session, is answered as well.
    """
    command = "echo ran >> ran.txt; sleep 0.5"
    await asyncio.to_thread(model_gateway.manage, "allowances", "add", "--command", command)
    async with connected(model_gateway.ws_url, model_gateway.token) as client:
        call = f'[[tool:exec {{"command":"{command}"}}]] [[final:carried on]]'
        running = await client.send(KEY, call)
        await client.until_tool(running)
        model_server.config(delay_ms=FOREVER)
        behind = await client.send(KEY, "[[echo:behind]]", queueMode="followup")
        other = await client.send(f"{KEY}-other", "[[echo:other]]")
        await client.until(lambda event: event["payload"].get("runId") == other)
        await restarted(client, model_gateway, model_server)
        await client.request("sessions.messages.subscribe", {"key": KEY})
        for run, text in ((running, "carried on"), (behind, "behind"), (other, "other")):
            waited = await client.request("agent.wait", {"runId": run, "timeoutMs": 30_000})
            assert waited["status"] == "ok"
            found = await own_rows.read(partial(item_of, run))
            assert found.run is not None
            assert (found.outcome, found.run.reply) == ("answered", text)
            assert found.run.resumptions == 0, "\n".join(model_gateway.lines)
        history = await client.history(KEY)
    assert [text_of(row) for row in history] == [
        *(call, "", "(no output)", "carried on"),
        *("[[echo:behind]]", "behind"),
    ]
    assert (model_gateway.home / "workspace" / "ran.txt").read_text() == "ran\n"


async def test_a_message_that_was_just_taken(
    model_gateway: Gateway, model_server: ModelServer
) -> None:
    """Acknowledged, and then everything was stopped at once."""
    async with connected(model_gateway.ws_url, model_gateway.token) as client:
        run = await client.send(f"{KEY}-taken", "[[echo:kept]]")
        await restarted(client, model_gateway, model_server)
        waited = await client.request("agent.wait", {"runId": run, "timeoutMs": 30_000})
        assert waited["status"] == "ok"
        assert text_of((await client.history(f"{KEY}-taken"))[-1]) == "kept"


async def test_the_ledger_balances(model_gateway: Gateway, own_rows: GatewayRows) -> None:
    """Nothing runs any more, and every account is settled."""
    await asyncio.to_thread(model_gateway.manage, "ledger", "check", "--settled")
    open_runs = await own_rows.read(
        lambda alias: Run.objects.using(alias).exclude(state="ended").count()
    )
    assert open_runs == 0
