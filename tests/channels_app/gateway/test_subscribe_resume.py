"""A client that comes back says what it saw last and gets the rest, or is told to start over."""

from __future__ import annotations

from typing import Any

from tests.channels_app.gateway.asgi_client import AsgiSocket
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.people import signed_in
from tests.channels_app.gateway.run import KEY, Run, session_make
from tests.platform.redis_server import RedisServer

SUBSCRIBE = "sessions.messages.subscribe"


def _said(events: list[dict[str, Any]]) -> list[str]:
    return [
        event["payload"]["deltaText"]
        for event in events
        if event["event"] == "chat" and event["payload"]["state"] == "delta"
    ]


async def _page(door: Door) -> AsgiSocket:
    if not hasattr(door, "cookie"):
        _boss, door.cookie = await signed_in("boss", "owner")  # type: ignore[attr-defined]
    return await door.page(door.cookie)  # type: ignore[attr-defined]


async def _delta(socket: AsgiSocket, text: str) -> str:
    event = await socket.event("chat", lambda payload: payload.get("deltaText") == text)
    return str(event["payload"]["position"])


async def test_it_works(door: Door) -> None:
    session = await session_make()
    run = Run(session, "w1")
    first = await _page(door)
    await first.call(SUBSCRIBE, {"key": KEY})
    await run.start()
    await run.say("one ")
    position = await _delta(first, "one ")
    await first.leave()
    await run.say("two ")
    await run.say("three ")
    second = await _page(door)
    answer = await second.call(SUBSCRIBE, {"key": KEY, "after": position})
    assert answer["replayed"] == 2
    await run.say("four")
    await run.end("one two three four")
    await second.chat("final", "w1")
    assert _said(second.events) == ["two ", "three ", "four"]


async def test_nothing_was_missed(door: Door) -> None:
    session = await session_make()
    run = Run(session, "w1")
    first = await _page(door)
    await first.call(SUBSCRIBE, {"key": KEY})
    await run.start()
    await run.say("one")
    position = await _delta(first, "one")
    second = await _page(door)
    answer = await second.call(SUBSCRIBE, {"key": KEY, "after": position})
    assert (answer["replayed"], answer["position"]) == (0, position)


async def test_an_end_in_the_meantime_is_replayed(door: Door) -> None:
    session = await session_make()
    run = Run(session, "w1")
    first = await _page(door)
    await first.call(SUBSCRIBE, {"key": KEY})
    await run.start()
    await run.say("one")
    position = await _delta(first, "one")
    await first.leave()
    await run.entry(2, "assistant", "**one**")
    await run.end("**one**")
    second = await _page(door)
    assert (await second.call(SUBSCRIBE, {"key": KEY, "after": position}))["replayed"] == 2
    message = (await second.event("session.message"))["payload"]["message"]
    assert "<strong>" in message["html"]
    await second.chat("final", "w1")


async def test_an_unknown_position(door: Door, clean_redis: RedisServer) -> None:
    session = await session_make()
    await Run(session, "w1").end("Hi")
    page = await _page(door)
    position = (await page.call(SUBSCRIBE, {"key": KEY}))["position"]
    for after in ("other:1-1", "nonsense", ""):
        answer = await page.call(SUBSCRIBE, {"key": KEY, "after": after})
        assert answer["startOver"] is True
        assert answer["position"] == position
    clean_redis.flush()
    answer = await page.call(SUBSCRIBE, {"key": KEY, "after": position})
    assert answer["startOver"] is True


async def test_positions_only_for_those_who_asked(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call(SUBSCRIBE, {"key": KEY})
    await Run(session, "w1").end("Hi")
    assert "position" not in await socket.chat("final", "w1")


async def test_the_list_of_sessions_comes_with_its_subscription(door: Door) -> None:
    await session_make()
    socket = await door.connect()
    assert await socket.call("sessions.subscribe", {}) == {"subscribed": True}
    answer = await socket.call("sessions.subscribe", {"limit": 5})
    assert [row["key"] for row in answer["list"]["sessions"]] == [KEY]
