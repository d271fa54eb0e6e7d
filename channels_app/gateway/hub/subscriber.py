"""The one ear of a web process on Redis: every live record and every control message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

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
        self._wait = _FIRST_WAIT

    async def run(self) -> None:
        """Listens until cancelled."""
        while True:
            try:
                await self._listen()
            except (redis.RedisError, OSError) as error:
                log.warning("gateway.redis_lost", error=str(error), retry_seconds=self._wait)
            await asyncio.sleep(self._wait)
            self._wait = min(self._wait * 2, _LONGEST_WAIT)

    async def _listen(self) -> None:
        connection = _connection()
        try:
            await connection.connect()
            await connection.send_command("SUBSCRIBE", CHANNEL, CONTROL)
            while True:
                # Every turn passes here ten times: the connection is read directly.
                kind, channel, data = await connection.read_response()
                if kind == b"message":
                    await self._safely(self._on_message(channel.decode(), data))
                elif kind == b"subscribe" and channel == CHANNEL.encode():
                    self._wait = _FIRST_WAIT
                    await self._safely(self._on_ready())
        finally:
            await connection.disconnect(nowait=True)

    async def _safely(self, work: Awaitable[None]) -> None:
        try:
            await work
        except (redis.RedisError, OSError):
            raise
        except Exception as error:  # one bad record must not silence all sockets
            log.error("gateway.record_failed", exc_info=error)


def _connection() -> Any:
    """A connection of its own. It waits for ever, because silence is normal here, and does not
    retry, because a reconnection inside the library would hide that messages were missed."""
    pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
        settings.OPENCLAW.redis_url,
        protocol=2,
        socket_timeout=None,
        socket_connect_timeout=_CONNECT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return pool.make_connection()  # type: ignore[no-untyped-call]
