"""The live record of a session: positions, gaps, and the running text."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sessions import live as module
from sessions.live import (
    CHANNEL,
    Emission,
    inflight,
    position_now,
    record_emit_sync,
    records_emit,
    stream_after,
)
from sessions.redis_client import redis_async
from tests.platform.redis_server import RedisServer

pytestmark = pytest.mark.usefixtures("clean_redis")


def record(seq: int, kind: str = "text", *, fence: int = 1, **data: Any) -> dict[str, Any]:
    """A record of the run r1."""
    return {"t": kind, "run": "r1", "wire": "w1", "fence": fence, "seq": seq, **data}


def say(seq: int, text: str, *, fence: int = 1) -> Emission:
    """A piece of text, with its change of the running text."""
    return record(seq, d=text, fence=fence), "text", text


async def emit(*emissions: Emission) -> None:
    """Emits into the session s1."""
    await records_emit(session_id="s1", records=emissions)


async def opened(text: str = "") -> None:
    """The run begins."""
    await emit((record(1, "run.start"), "open", text))


async def seqs_after(position: str) -> list[int] | None:
    """The numbers of the records after a position, None for "start over"."""
    found = await stream_after("s1", position)
    return None if found is None else [one["seq"] for _, one in found]


async def test_it_works() -> None:
    """Whoever knows a position gets exactly what came after it."""
    await opened()
    position = await position_now("s1")
    await emit(say(2, "Hello "), say(3, "there"))
    assert await seqs_after(position) == [2, 3]
    shown = await inflight("s1")
    assert shown is not None
    assert (shown["run"], shown["wire"], shown["seq"]) == ("r1", "w1", 3)
    assert shown["text"] == "Hello there"
    assert shown["position"] == await position_now("s1")
    assert await seqs_after(shown["position"]) == []


async def test_it_is_published_with_its_position() -> None:
    """Subscribers hear the same record under the same position."""
    async with redis_async().pubsub() as heard:
        await heard.subscribe(CHANNEL)
        await heard.get_message(timeout=5)
        await opened()
        message = await heard.get_message(ignore_subscribe_messages=True, timeout=5)
    assert message is not None
    session, position, body = message["data"].split(b" ", 2)
    assert (session, position.decode()) == (b"s1", await position_now("s1"))
    assert orjson.loads(body) == record(1, "run.start")


async def test_the_end_forgets_the_running_text() -> None:
    """Nothing is in flight any more, but the records stay for those who were away."""
    await opened()
    position = await position_now("s1")
    await emit(say(2, "Hello"), (record(3, "run.end"), "close", ""))
    assert await inflight("s1") is None
    assert await seqs_after(position) == [2, 3]
    assert 0 < await redis_async().ttl("oc:s:s1") <= module.KEPT_SECONDS


async def test_a_resumed_run_starts_its_text_over() -> None:
    """What was committed is what is shown."""
    await opened()
    await emit(say(2, "half an ans"))
    await emit((record(3, "run.resume", fence=2), "open", "committed"), say(4, "!", fence=2))
    shown = await inflight("s1")
    assert shown is not None
    assert shown["text"] == "committed!"


async def test_a_worker_that_lost_the_session_is_not_heard() -> None:
    """Records of a lower fence are dropped, also after the end."""
    await emit((record(1, "run.start", fence=5), "open", ""))
    await emit(say(2, "zombie", fence=4))
    await emit((record(3, "run.end", fence=5), "close", ""))
    position = await position_now("s1")
    await emit(say(4, "zombie", fence=4), (record(5, "run.end", fence=4), "close", ""))
    assert await position_now("s1") == position
    assert await inflight("s1") is None


async def test_a_redis_without_memory_means_start_over(clean_redis: RedisServer) -> None:
    """Positions of another epoch cannot be compared, however much they look alike."""
    await opened()
    position = await position_now("s1")
    clean_redis.flush()
    assert await seqs_after(position) is None
    await opened()
    assert await seqs_after(position) is None
    assert (await position_now("s1")).split(":")[0] != position.split(":")[0]


async def test_a_restart_keeps_positions(redis_server: RedisServer) -> None:
    """A server that remembers goes on in the same epoch."""
    await opened()
    position = await position_now("s1")
    redis_server.stop()
    redis_server.start()
    await emit(say(2, "more"))
    assert await seqs_after(position) == [2]


async def test_a_gap_that_was_dropped_means_start_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream is capped; whoever was away for too long is told."""
    monkeypatch.setattr(module, "KEPT_RECORDS", 1)
    await opened()
    position = await position_now("s1")
    await emit(*(say(number, "x") for number in range(2, 1000)))
    assert await seqs_after(position) is None


@pytest.mark.parametrize("position", ["", "x", "x:", ":1-1", "zz:1-1"])
async def test_odd_positions_mean_start_over(position: str) -> None:
    """A position nobody gave out is no position."""
    await opened()
    assert await seqs_after(position) is None


async def test_sessions_do_not_mix() -> None:
    """Each has its own records, numbers and text."""
    await opened()
    await records_emit(session_id="s2", records=[(record(1, "run.start"), "open", "other")])
    await emit(say(2, "mine"))
    shown = await inflight("s2")
    assert shown is not None
    assert shown["text"] == "other"


async def test_records_without_a_run_leave_the_running_text() -> None:
    """A message that joins the queue changes nothing of the turn that runs."""
    await opened("so far")
    position = await position_now("s1")
    record_emit_sync(session_id="s1", record={"t": "queue.add", "item": {}, "seq": 0})
    assert await seqs_after(position) == [0]
    shown = await inflight("s1")
    assert shown is not None
    assert (shown["text"], shown["seq"]) == ("so far", 1)


async def test_without_redis_nothing_is_raised(redis_server: RedisServer) -> None:
    """Showing a turn is never a reason for it to fail."""
    redis_server.stop(kill=True)
    try:
        await opened()
        record_emit_sync(session_id="s1", record={"t": "session"})
    finally:
        redis_server.start()
    await opened()
    assert await inflight("s1") is not None
