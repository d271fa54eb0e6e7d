"""A rest that one process notes is known to the others at once."""

from __future__ import annotations

import asyncio
import time

import orjson
from redis.client import PubSub

from agents.credentials.services import credential_failed
from agents.credentials.states import states
from agents.database import run_db
from agents.models import ProfileState
from sessions.live import CONTROL
from tests.platform.redis_server import RedisServer
from tests.sessions.stage import Stage

NAME, MODEL = "env:lab", "m"


def news_of(listener: PubSub) -> list[str]:
    """The kinds of control messages until one is about credentials."""
    found: list[str] = []
    end = time.monotonic() + 20
    while "credentials" not in found and time.monotonic() < end:
        message = listener.get_message(timeout=0.2)
        if message and message["type"] == "message":
            found.append(orjson.loads(message["data"])["t"])
    return found


async def test_it_works(stage: Stage, clean_redis: RedisServer) -> None:
    """The news goes out, and a worker that hears it reads the rows anew."""
    engine = await stage.engine()
    client = clean_redis.client()
    listener: PubSub = client.pubsub()  # type: ignore[no-untyped-call]
    listener.subscribe(CONTROL)
    await run_db(lambda: credential_failed(credential=NAME, model=MODEL, reason="timeout"))
    assert "credentials" in await asyncio.to_thread(news_of, listener)
    listener.close()

    assert (await run_db(states))[NAME, MODEL].reason == "timeout"
    # As another process would: nothing here has noticed.
    await run_db(lambda: ProfileState.objects.update(reason="overloaded"))
    engine.control({"t": "credentials"})
    assert (await run_db(states))[NAME, MODEL].reason == "overloaded"
