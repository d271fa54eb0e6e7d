"""Every run id that was merged into a turn ends once, with that turn's final."""

from __future__ import annotations

from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.run import KEY, Run, session_make


async def test_it_works(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    run = Run(session, "w1", merged=("w2", "w3"))
    await run.start()
    await run.end("For all of you.")
    own = await socket.chat("final", "w1")
    assert "mergedInto" not in own
    for wire in ("w2", "w3"):
        payload = await socket.chat("final", wire)
        assert payload["mergedInto"] == "w1"
        assert payload["message"]["content"][0]["text"] == "For all of you."


async def test_each_id_ends_once_on_a_socket(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    run = Run(session, "w1", merged=("w2",))
    await run.start()
    await run.end("Yes.")
    # The same end once more, as after a healed loss.
    again = Run(session, "w1", run="another", fence=2, merged=("w2",))
    await again.end("Yes.")
    last = Run(session, "w3", fence=3)
    await last.end("The last.")
    await socket.chat("final", "w3")
    ends = [
        event["payload"]["runId"]
        for event in socket.events
        if event["event"] == "chat" and event["payload"]["state"] == "final"
    ]
    assert ends == ["w1", "w2"]


async def test_other_outcomes(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    run = Run(session, "w1")
    await run.end(
        "Answer.",
        wires=[
            {"id": "w1", "outcome": "answered"},
            {"id": "w2", "outcome": "steered", "mergedInto": "w1"},
            {"id": "w3", "outcome": "summarised", "mergedInto": "w1"},
            {"id": "w4", "outcome": "stopped"},
            {"id": "w5", "outcome": "refused", "detail": "The queue is full."},
        ],
    )
    assert (await socket.chat("final", "w2"))["mergedInto"] == "w1"
    assert (await socket.chat("final", "w3"))["summarised"] is True
    assert (await socket.chat("aborted", "w4"))["stopReason"] == "stop"
    assert (await socket.chat("error", "w5"))["errorMessage"] == "The queue is full."
