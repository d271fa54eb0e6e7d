"""A client that reads nothing loses what may be lost, and then the socket."""

from __future__ import annotations

import asyncio
from typing import Any

from channels_app.gateway.outbox import Outbox
from channels_app.gateway.transport import Transport


class _Network:
    """Takes frames only when it is let."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.flows = asyncio.Event()

    async def send(self, message: Any) -> None:
        await self.flows.wait()
        self.sent.append(message)


async def _outbox(
    limit: int, frame_limit: int = 10_000
) -> tuple[Outbox, _Network, asyncio.Task[None]]:
    network = _Network()
    outbox = Outbox(Transport(network.send), limit=limit, frame_limit=frame_limit)
    return outbox, network, asyncio.create_task(outbox.run())


async def test_it_works() -> None:
    outbox, network, writer = await _outbox(1000)
    assert outbox.put("one")
    assert outbox.put("two")
    outbox.close(1000, "bye")
    network.flows.set()
    await writer
    assert [message.get("text") for message in network.sent] == ["one", "two", None]
    assert network.sent[-1] == {"type": "websocket.close", "code": 1000, "reason": "bye"}


async def test_what_may_be_lost_is_dropped() -> None:
    outbox, network, writer = await _outbox(10)
    assert outbox.put("x" * 11)
    assert not outbox.put("delta", droppable=True)
    outbox.close(1000)
    network.flows.set()
    await writer
    assert [message.get("text") for message in network.sent] == ["x" * 11, None]


async def test_anything_else_closes() -> None:
    outbox, network, writer = await _outbox(10)
    assert outbox.put("x" * 11)
    assert not outbox.put("final")
    assert outbox.is_closing
    network.flows.set()
    await writer
    assert network.sent[-1]["code"] == 1008
    assert network.sent[-1]["reason"] == "slow consumer"


async def test_what_no_frame_can_hold_is_dropped_or_closes() -> None:
    outbox, network, writer = await _outbox(1000, frame_limit=8)
    assert outbox.put("ä" * 4)
    assert not outbox.put("ä" * 5, droppable=True)
    assert not outbox.is_closing
    assert not outbox.put("ä" * 5)
    network.flows.set()
    await writer
    assert network.sent[-1]["code"] == 1009
