"""What a turn looks like on the wire, for each kind of client."""

from __future__ import annotations

from typing import Any

from tests.channels_app.gateway.asgi_client import AsgiSocket
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.people import signed_in
from tests.channels_app.gateway.run import KEY, Run, session_make


async def _watching(door: Door, **changes: Any) -> AsgiSocket:
    socket = await door.connect(**changes)
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    return socket


async def _turn(socket: AsgiSocket, run: Run) -> list[dict[str, Any]]:
    """Plays a short turn with a tool; all events until its final."""
    await run.start()
    await run.emit("run.model", provider="fake", model="fake-1")
    await run.say("Let me ")
    await run.say("look.")
    await run.emit("tool.start", id="c1", name="exec", args={"command": "ls"})
    await run.emit("tool.end", id="c1", name="exec", isError=False, result={"content": []}, ms=3)
    await run.say("\n\nDone.")
    await run.end("Let me look.\n\nDone.", usage={"input": 3, "output": 4})
    await socket.chat("final", run.wires[0])
    return socket.events


def _short(events: list[dict[str, Any]]) -> list[str]:
    words = []
    for event in events:
        payload = event["payload"]
        what = payload.get("state") or payload.get("stream") or ""
        phase = payload.get("phase") or payload.get("data", {}).get("phase") or ""
        words.append(" ".join(filter(None, (event["event"], what, phase))))
    return words


async def test_it_works(door: Door) -> None:
    session = await session_make()
    socket = await _watching(door, caps=["tool-events"])
    run = Run(session, "w1")
    await run.start()
    await run.say("Hello")
    await run.end("Hello")
    delta = await socket.chat("delta", "w1")
    assert delta["deltaText"] == "Hello"
    assert delta["message"]["content"] == [{"type": "text", "text": "Hello"}]
    final = await socket.chat("final", "w1")
    assert final["message"]["content"] == [{"type": "text", "text": "Hello"}]
    assert final["stopReason"] == "stop"
    assert final["sessionKey"] == KEY
    assert final["agentId"] == "main"


async def test_the_order_on_protocol_4(door: Door) -> None:
    session = await session_make()
    socket = await _watching(door, caps=["tool-events"])
    events = _short(await _turn(socket, Run(session, "w1")))
    assert [each for each in events if "assistant" not in each and "delta" not in each] == [
        "agent lifecycle start",
        "chat status starting_model",
        "agent lifecycle model",
        "agent tool start",
        "agent tool result",
        "agent lifecycle end",
    ]
    # The text before a tool is complete before the tool is shown.
    before = events[: events.index("agent tool start")]
    assert before.count("chat delta") == 2


async def test_numbers_are_dense_on_each_connection(door: Door) -> None:
    session = await session_make()
    one, two = await _watching(door, caps=["tool-events"]), await _watching(door)
    run = Run(session, "w1")
    await _turn(one, run)
    await two.chat("final", "w1")
    for socket in (one, two):
        numbers = [event["seq"] for event in socket.events]
        # The final was taken out and has the highest number.
        assert numbers == list(range(1, len(numbers) + 1))


async def test_tools_are_for_those_who_asked(door: Door) -> None:
    session = await session_make()
    socket = await _watching(door)
    assert not [each for each in _short(await _turn(socket, Run(session, "w1"))) if "tool" in each]


async def test_deltas_add_up_for_every_kind_of_client(door: Door) -> None:
    _person, cookie = await signed_in("boss", "owner")
    session = await session_make()
    page = await door.page(cookie)
    await page.call("sessions.messages.subscribe", {"key": KEY})
    four = await _watching(door)
    three = await _watching(door, minProtocol=3, maxProtocol=3)
    run = Run(session, "w1")
    await run.start()
    for number in range(40):
        await run.say(f"word{number} ")
    text = "".join(f"word{number} " for number in range(40))
    await run.end(text)
    for socket in (page, four, three):
        await socket.chat("final", "w1")
        deltas = [
            event["payload"]
            for event in socket.events
            if event["event"] == "chat" and event["payload"]["state"] == "delta"
        ]
        assert "".join(delta["deltaText"] for delta in deltas) == text
        if socket is page:
            assert not [delta for delta in deltas if "message" in delta]
        else:
            assert len(deltas) < 40
            assert deltas[-1]["message"]["content"][0]["text"] == text


async def test_the_page_gets_text_once(door: Door) -> None:
    _person, cookie = await signed_in("boss", "owner")
    session = await session_make()
    page = await door.page(cookie)
    await page.call("sessions.messages.subscribe", {"key": KEY})
    events = _short(await _turn(page, Run(session, "w1")))
    assert events.count("chat delta") == 3
    assert "agent assistant" not in events
    assert "agent tool result" in events


async def test_protocol_3_gets_the_key_as_it_wrote_it(door: Door) -> None:
    session = await session_make()
    socket = await door.connect(minProtocol=3, maxProtocol=3)
    await socket.call("sessions.messages.subscribe", {"key": "main"})
    await _turn(socket, Run(session, "w1"))
    keys = {
        event["event"]: event["payload"]["sessionKey"]
        for event in socket.events
        if event["event"] in ("agent", "chat")
    }
    assert keys == {"agent": KEY, "chat": "main"}


async def test_an_error_says_what_kind(door: Door) -> None:
    session = await session_make()
    four = await _watching(door)
    three = await _watching(door, minProtocol=3, maxProtocol=3)
    run = Run(session, "w1")
    await run.start()
    error = {"errorKind": "context_overflow", "errorMessage": "Too long.", "provider": "fake"}
    await run.end("", state="error", **error)
    payload = await four.chat("error", "w1")
    assert payload["errorMessage"] == "Too long."
    assert payload["errorKind"] == "context_length"
    assert payload["errorDetail"] == {"provider": "fake", "failoverReason": "context_overflow"}
    old = await three.chat("error", "w1")
    assert old["errorMessage"] == "Too long."
    assert "errorKind" not in old


async def test_an_aborted_run_keeps_its_part(door: Door) -> None:
    session = await session_make()
    socket = await _watching(door)
    run = Run(session, "w1")
    await run.start()
    await run.say("Half")
    await run.end("Half", state="aborted", stopReason="rpc")
    payload = await socket.chat("aborted", "w1")
    assert payload["stopReason"] == "rpc"
    assert payload["message"]["content"][0]["text"] == "Half"
