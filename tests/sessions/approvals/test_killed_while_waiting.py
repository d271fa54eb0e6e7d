"""kill -9 of the worker while a turn waits: it goes on with the decision all the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from sessions.models import Run
from tests.gateway_client import GatewayClient
from tests.platform.gateway import Gateway
from tests.sessions.approvals.asking import write
from tests.sessions.approvals.test_gateway_approvals import asked
from tests.sessions.gateway_rows import gateway_rows

pytestmark = pytest.mark.kills


async def test_it_works(
    owner: GatewayClient, asking_gateway: Gateway, key: str, django_db_blocker: DjangoDbBlocker
) -> None:
    """Decided while the worker is dead, or after it came back; no resumption is counted."""
    run = await owner.send(key, write("killed.txt") + "[[final:survived]]")
    question = await asked(owner, key)
    await asyncio.to_thread(asking_gateway.kill_worker)
    await owner.request("exec.approval.resolve", {"id": question["id"], "decision": "allow-once"})
    ended = await owner.ended(run)
    assert (ended.state, ended.text) == ("final", "survived")
    with django_db_blocker.unblock(), gateway_rows(asking_gateway) as rows:
        found = await rows.read(lambda alias: Run.objects.using(alias).get(wire_id=run))
    assert (found.resumptions, found.outcome) == (0, "final")
    assert "clean" in await asyncio.to_thread(asking_gateway.manage, "ledger", "check")


@pytest.mark.parametrize("part", ["redis", "web"])
async def test_other_parts(
    owner: GatewayClient, asking_gateway: Gateway, key: str, part: str
) -> None:
    """Neither of them holds the question."""
    run = await owner.send(key, write(f"{part}.txt") + "[[final:survived]]")
    question = await asked(owner, key)
    await asyncio.to_thread(asking_gateway.kill_child, part)
    await asyncio.to_thread(asking_gateway.wait_ready)
    await owner.reconnect()
    await owner.request("sessions.messages.subscribe", {"key": key})
    await owner.request("exec.approval.resolve", {"id": question["id"], "decision": "allow-once"})
    ended = await owner.ended(run)
    assert (ended.state, ended.text) == ("final", "survived")


async def test_the_whole_gateway(owner: GatewayClient, asking_gateway: Gateway, key: str) -> None:
    """Everything is killed; the question is still there afterwards."""
    run = await owner.send(key, write("restart.txt"))
    question = await asked(owner, key)
    await asyncio.to_thread(asking_gateway.kill)
    await asyncio.to_thread(asking_gateway.start)
    await owner.reconnect()
    await owner.request("sessions.messages.subscribe", {"key": key})
    listed: Any = await owner.request("exec.approval.list")
    assert [one["id"] for one in listed] == [question["id"]]
    await owner.request("exec.approval.resolve", {"id": question["slug"], "decision": "deny"})
    assert "did not allow this call" in (await owner.ended(run)).text
