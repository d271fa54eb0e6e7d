"""The live records of a running turn, as they are sent."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sessions.redis_client import redis_async
from sessions.turns.emitter import Emitter
from tests.platform.redis_server import RedisServer
from tests.sessions.stage import Stage

until = Stage().until
pytestmark = pytest.mark.usefixtures("clean_redis")


def emitter(seq: int = 0) -> Emitter:
    """One for the run r1 in the session s1."""
    return Emitter(session_id="s1", run="r1", wire="w1", key="k", agent="main", fence=1, seq=seq)


async def sent() -> list[dict[str, Any]]:
    """What arrived, in order."""
    rows: Any = await redis_async().xrange("oc:s:s1")
    return [orjson.loads(fields[b"r"]) for _, fields in rows]


async def test_it_works() -> None:
    """Records arrive in order, numbered from one without a gap."""
    one = emitter()
    one.emit("run.start", change="open", wires=["w1"])
    for word in ("a ", "b ", "c"):
        one.text(word)
    one.emit("run.end", change="close", state="final")
    await one.drain()
    records = await sent()
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert (records[0]["t"], records[-1]["t"]) == ("run.start", "run.end")
    assert "".join(record.get("d", "") for record in records) == "a b c"
    assert {(record["run"], record["wire"], record["fence"]) for record in records} == {
        ("r1", "w1", 1)
    }


async def test_text_goes_in_batches() -> None:
    """The first piece at once, those of one moment together."""
    one = emitter()
    for number in range(200):
        one.text(f"{number} ")
    await one.drain()
    texts = [record["d"] for record in await sent()]
    assert texts[0] == "0 "
    assert len(texts) == 2
    assert "".join(texts) == "".join(f"{number} " for number in range(200))


async def test_text_comes_before_what_follows_it() -> None:
    """A tool is shown behind the words that announce it; reasoning keeps its place."""
    one = emitter()
    one.text("let me ")
    one.text("look")
    one.emit("tool.start", id="c", name="read", args={})
    one.thinking("hm")
    one.text("done")
    await one.drain()
    kinds = [record["t"] for record in await sent()]
    assert kinds == ["text", "text", "tool.start", "thinking", "text"]


async def test_a_pause_sends_what_there_is() -> None:
    """Nobody waits for the end to see the last words."""
    one = emitter()
    one.text("first ")
    one.text("second")

    async def both() -> bool:
        return len(await sent()) == 2

    await until(both)
    assert [record["d"] for record in await sent()] == ["first ", "second"]


async def test_a_resumed_run_goes_on_counting() -> None:
    """The numbers of a run never start again."""
    one = emitter(seq=7)
    one.emit("run.resume", text="")
    await one.drain()
    assert [record["seq"] for record in await sent()] == [8]


async def test_records_of_the_session_have_no_number_of_the_run() -> None:
    """What is told in passing does not make a gap."""
    one = emitter()
    one.emit("run.start", change="open")
    one.emit_apart({"t": "run.end", "run": "", "wire": "other", "seq": 1, "fence": 0})
    one.emit("run.model", provider="p", model="m")
    await one.drain()
    assert [record["seq"] for record in await sent()] == [1, 1, 2]


async def test_without_redis(redis_server: RedisServer) -> None:
    """A turn does not fail because nobody can watch it."""
    one = emitter()
    redis_server.stop(kill=True)
    try:
        one.emit("run.start", change="open")
        one.text("unheard")
        await one.drain()
    finally:
        redis_server.start()
    one.emit("run.end", change="close")
    await one.drain()
    assert [record["t"] for record in await sent()] == ["run.end"]


async def test_a_piece_of_megabytes_is_sent_in_parts() -> None:
    """Each part fits into a frame of every client; together they are the whole."""
    one, text = emitter(), "0123456789" * 200_000
    one.text(text)
    await one.drain()
    parts = [record["d"] for record in await sent()]
    assert "".join(parts) == text
    assert max(map(len, parts)) <= 250_000
