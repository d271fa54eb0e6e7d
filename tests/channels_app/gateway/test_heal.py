"""Ends that nobody heard come from the database."""

from __future__ import annotations

import asyncio

from django.utils import timezone

from agents.core.principal import ALL_SCOPES
from agents.database import run_db
from channels_app.gateway.hub.hub import hub_current
from sessions.models import InboxItem, Session, Transcript
from sessions.models import Run as RunRow
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.run import KEY, Run
from tests.platform.redis_server import RedisServer

SEND = {"sessionKey": KEY, "message": "hi", "idempotencyKey": "w1"}


def _end_silently(*wires: str, **changes: str) -> None:
    """What a worker writes at the end of a run, without its live records."""
    session = Session.objects.get(key=KEY)
    transcript = Transcript.objects.create(session=session)
    run = RunRow.objects.create(
        session=session,
        transcript=transcript,
        person=session.owner,
        wire_id=wires[0],
        agent_slug="main",
        **{
            "state": RunRow.State.ENDED,
            "outcome": RunRow.Outcome.FINAL,
            "reply": "From the rows.",
            "stop_reason": "stop",
            **changes,
        },
        ended_at=timezone.now(),
    )
    for number, wire in enumerate(wires):
        InboxItem.objects.filter(wire_id=wire).update(
            run=run, outcome="merged" if number else "answered", ended_at=timezone.now()
        )


async def test_it_works(door: Door) -> None:
    socket = await door.connect()
    assert (await socket.call("chat.send", SEND))["status"] == "started"
    await run_db(_end_silently, "w1")
    final = await socket.chat("final", "w1")
    assert final["message"]["content"][0]["text"] == "From the rows."


async def test_merged_ids_are_healed_together(door: Door) -> None:
    socket = await door.connect()
    await socket.call("chat.send", SEND)
    await socket.call("chat.send", {**SEND, "idempotencyKey": "w2"})
    await run_db(_end_silently, "w1", "w2")
    await socket.chat("final", "w1")
    assert (await socket.chat("final", "w2"))["mergedInto"] == "w1"
    ends = [event for event in socket.events if event["event"] == "agent"]
    assert len(ends) == 1


async def test_a_failed_run(door: Door) -> None:
    socket = await door.connect()
    await socket.call("chat.send", SEND)
    failed = {"outcome": RunRow.Outcome.ERROR, "error_kind": "timeout", "error_message": "Slow."}
    await run_db(_end_silently, "w1", **failed)
    payload = await socket.chat("error", "w1")
    assert (payload["errorMessage"], payload["errorKind"]) == ("Slow.", "timeout")


async def test_the_late_record_does_not_end_it_again(door: Door) -> None:
    socket = await door.connect()
    await socket.call("chat.send", SEND)
    session = await run_db(Session.objects.get, key=KEY)
    run = Run(session, "w1")
    await run.start()
    await run.say("Some")
    await run_db(_end_silently, "w1")
    await socket.chat("final", "w1")
    await run.end("Late.")
    await Run(session, "w2", fence=2).end("Next.")
    await socket.chat("final", "w2")
    assert not [event for event in socket.events if "Late." in str(event)]


async def test_a_reader_of_a_foreign_run_is_healed_too(door: Door) -> None:
    socket, reader = await door.connect(), await door.connect()
    await socket.call("chat.send", SEND)
    await reader.call("sessions.messages.subscribe", {"key": KEY})
    await run_db(_end_silently, "w1")
    await reader.chat("final", "w1")


async def test_without_redis_the_answer_still_comes(door: Door, clean_redis: RedisServer) -> None:
    socket = await door.connect()
    await socket.call("chat.send", SEND)
    clean_redis.stop(kill=True)
    try:
        await run_db(_end_silently, "w1")
        await socket.chat("final", "w1")
    finally:
        clean_redis.start()


async def test_redis_comes_back(door: Door, clean_redis: RedisServer) -> None:
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    await socket.call("chat.send", SEND)
    session = await run_db(Session.objects.get, key=KEY)
    clean_redis.stop(kill=True)
    clean_redis.start()
    # The subscriber comes back by itself; records emitted before that are lost.
    for number in range(100):
        await Run(session, f"x{number}", run=f"r{number}", fence=number + 1).end("Heard.")
        if any(event["event"] == "chat" for event in await socket.settle()):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was heard after Redis came back")


async def test_an_end_of_somebody_elses_id_is_no_answer(door: Door) -> None:
    assert "operator.admin" in ALL_SCOPES
    hub = hub_current()
    socket = await door.connect()
    await socket.call("chat.send", SEND)
    hub.expect("agent:main:other", "w1")
    await run_db(_end_silently, "w1")
    await socket.chat("final", "w1")
    assert not hub.feeds["agent:main:other"].waits
