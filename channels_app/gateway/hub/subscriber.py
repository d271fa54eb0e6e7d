"""The one ear of a web process on Redis: every live record and every control message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import redis
import redis.asyncio
import structlog
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from sessions.live import CHANNEL, CONTROL

log = structlog.get_logger(__name__)

_CONNECT_SECONDS = 5.0
_FIRST_WAIT = 0.05
_LONGEST_WAIT = 1.0


class Subscriber:
    """Calls `on_message(channel, data)` in order, and `on_ready()` each time it listens (again).

    Between two `on_ready` messages may have been missed. Outlives every failure of Redis.
    """

    def __init__(
        self,
        *,
        on_message: Callable[[str, bytes], Awaitable[None]],
        on_ready: Callable[[], Awaitable[None]],
    ) -> None:
        self._on_message = on_message
        self._on_ready = on_ready

    async def run(self) -> None:
        """Listens until cancelled."""
        wait = _FIRST_WAIT
        while True:
            try:
                async with self._client() as client, client.pubsub() as pubsub:
                    await pubsub.subscribe(CHANNEL, CONTROL)
                    await self._listen(pubsub)
            except (redis.RedisError, OSError) as error:
                log.warning("gateway.redis_lost", error=str(error), retry_seconds=wait)
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)

    def _client(self) -> redis.asyncio.Redis:
        # No read timeout, because silence is normal here; no retries, because a reconnection
        # inside the library would hide that messages were missed.
        return redis.asyncio.Redis.from_url(
            settings.OPENCLAW.redis_url,
            socket_connect_timeout=_CONNECT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    async def _listen(self, pubsub: redis.asyncio.client.PubSub) -> None:
        async for message in pubsub.listen():
            kind, channel = message["type"], message["channel"].decode()
            if kind == "message":
                await self._safely(self._on_message(channel, message["data"]))
            elif kind == "subscribe" and channel == CHANNEL:
                await self._safely(self._on_ready())

    async def _safely(self, work: Awaitable[None]) -> None:
        try:
            await work
        except (redis.RedisError, OSError):
            raise
        except Exception as error:  # one bad record must not silence all sockets
            log.error("gateway.record_failed", exc_info=error)
