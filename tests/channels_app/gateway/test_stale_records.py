"""Records of workers that lost a session, and of turns that were taken over."""

from __future__ import annotations

from tests.channels_app.gateway.asgi_client import AsgiSocket
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.run import KEY, Run, session_make


async def _socket(door: Door) -> AsgiSocket:
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    return socket


async def test_it_works(door: Door) -> None:
    session = await session_make()
    socket = await _socket(door)
    zombie = Run(session, "w1", run="r", fence=1)
    await zombie.start()
    await zombie.say("From the dead ")
    heir = Run(session, "w1", run="r", fence=2)
    await heir.resume()
    await zombie.say("worker")
    await heir.say("From the living")
    await heir.end("From the living")
    final = await socket.chat("final", "w1")
    assert final["message"]["content"][0]["text"] == "From the living"
    said = [
        event["payload"]["data"]["delta"]
        for event in socket.events
        if event["event"] == "agent" and event["payload"]["stream"] == "assistant"
    ]
    assert said == ["From the dead ", "From the living"]


async def test_a_take_over_replaces_the_text(door: Door) -> None:
    session = await session_make()
    socket = await _socket(door)
    dead = Run(session, "w1", run="r", fence=1)
    await dead.start()
    await dead.say("One. Tw")
    heir = Run(session, "w1", run="r", fence=2)
    await heir.resume("One.")
    await heir.say("\n\nTwo.")
    await heir.end("One.\n\nTwo.")
    await socket.chat("final", "w1")
    text = ""
    for event in socket.events:
        payload = event["payload"]
        if event["event"] == "chat" and payload["state"] == "delta":
            text = payload["deltaText"] if payload.get("replace") else text + payload["deltaText"]
            assert payload["message"]["content"][0]["text"] == text
    assert text == "One.\n\nTwo."


async def test_what_comes_after_the_end_is_dropped(door: Door) -> None:
    session = await session_make()
    socket = await _socket(door)
    run = Run(session, "w1")
    await run.start()
    await run.end("Done")
    await run.say("late")
    await Run(session, "w2", fence=2).end("Next")
    await socket.chat("final", "w2")
    assert not [event for event in socket.events if "late" in str(event)]


async def test_joining_in_mid_run(door: Door) -> None:
    session = await session_make()
    run = Run(session, "w1")
    await run.start()
    await run.say("Before ")
    socket = await _socket(door)
    await run.say("after")
    delta = await socket.chat("delta", "w1")
    assert delta["deltaText"] == "after"
    assert delta["message"]["content"][0]["text"] == "Before after"
