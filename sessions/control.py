"""Listens for what must act at once in every process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import orjson
import redis
import structlog

from sessions.live import CONTROL
from sessions.redis_client import redis_async

log = structlog.get_logger(__name__)


async def control_listen(handle: Callable[[dict[str, Any]], None]) -> None:
    """Passes every control message to `handle` until cancelled; comes back after Redis was away."""
    pause = 0.1
    while True:
        try:
            async with redis_async().pubsub() as listener:
                await listener.subscribe(CONTROL)
                pause = 0.1
                while True:
                    message = await listener.get_message(
                        ignore_subscribe_messages=True, timeout=60.0
                    )
                    if message is not None:
                        handle(orjson.loads(message["data"]))
        except (redis.RedisError, OSError, ValueError) as error:
            log.warning("control.interrupted", error=str(error))
            await asyncio.sleep(pause)
            pause = min(pause * 2, 5.0)
