"""What all sockets hear: ticks, presence, and that the gateway stops."""

from __future__ import annotations

from sessions.live import control_publish
from tests.channels_app.gateway.asgi_client import AsgiSocket
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.people import signed_in


async def test_it_works(door: Door) -> None:
    door.limit(tick_interval_ms=20)
    socket = await door.connect()
    assert socket.hello["policy"]["tickIntervalMs"] == 20
    first, second = await socket.event("tick"), await socket.event("tick")
    assert second["seq"] > first["seq"]
    assert second["payload"]["ts"] >= first["payload"]["ts"]


async def test_presence_grows_and_shrinks(door: Door) -> None:
    _boss, cookie = await signed_in("boss", "owner")
    first = await door.page(cookie)

    async def people(socket: AsgiSocket) -> tuple[int, int]:
        event = await socket.event("presence")
        return event["stateVersion"]["presence"], len(event["payload"]["presence"])

    version, count = await people(first)
    assert count == 2
    second = await door.page(cookie)
    newer, count = await people(first)
    assert (newer > version, count) == (True, 3)
    await second.leave()
    assert (await people(first))[1] == 2


async def test_command_line_calls_are_nobodys_presence(door: Door) -> None:
    first = await door.connect()
    await door.connect()
    assert await first.settle() == []
    assert len(await first.call("system-presence", {})) == 1


async def test_a_shutdown_closes_with_1012(door: Door) -> None:
    one, two = await door.connect(), await door.connect()
    control_publish({"t": "shutdown"})
    for socket in (one, two):
        event = await socket.event("shutdown")
        assert event["payload"] == {"reason": "service restart", "restartExpectedMs": None}
        assert await socket.closed() == (1012, "service restart")
