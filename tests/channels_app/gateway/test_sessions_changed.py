"""Changes to sessions are told to those who subscribed and may see them."""

from __future__ import annotations

from typing import Any

from tests.channels_app.gateway.asgi_client import AsgiSocket
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.people import signed_in


async def _changed(socket: AsgiSocket, reason: str) -> dict[str, Any]:
    event = await socket.event("sessions.changed", lambda payload: payload["reason"] == reason)
    found: dict[str, Any] = event["payload"]
    return found


async def test_it_works(door: Door) -> None:
    socket = await door.connect()
    await socket.call("sessions.subscribe", {})
    made = await socket.call("sessions.create", {"key": "agent:main:made", "label": "Made"})
    assert made["entry"]["label"] == "Made"
    created = await _changed(socket, "create")
    assert created["key"] == "agent:main:made"
    assert created["session"]["label"] == "Made"
    await socket.call("sessions.patch", {"key": "agent:main:made", "label": "Renamed"})
    assert (await _changed(socket, "patch"))["session"]["label"] == "Renamed"
    await socket.call("sessions.delete", {"key": "agent:main:made"})
    assert (await _changed(socket, "delete"))["session"] is None


async def test_only_own_sessions_are_told(door: Door) -> None:
    _ada, ada_cookie = await signed_in("ada")
    _bob, bob_cookie = await signed_in("bob")
    ada, bob = await door.page(ada_cookie), await door.page(bob_cookie)
    boss = await door.connect()
    for socket in (ada, bob, boss):
        await socket.call("sessions.subscribe", {})
    made = await ada.call("sessions.create", {})
    await _changed(ada, "create")
    await _changed(boss, "create")
    await ada.call("sessions.delete", {"key": made["key"]})
    await _changed(ada, "delete")
    await _changed(boss, "delete")
    assert not [event for event in await bob.settle() if event["event"] == "sessions.changed"]


async def test_whoever_did_not_subscribe_hears_nothing(door: Door) -> None:
    socket, other = await door.connect(), await door.connect()
    await socket.call("sessions.subscribe", {})
    await socket.call("sessions.create", {})
    await _changed(socket, "create")
    assert await other.settle() == []
