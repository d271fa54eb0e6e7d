"""Slots: how many turns an agent may run at once, over all workers, first come first served.

A turn that holds its lane takes a slot of its agent. Holders and waiters are sorted sets in Redis
with a lease each, so that a killed worker's places free themselves.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import redis
import structlog

from agents.ids import new_id
from sessions.redis_client import redis_async

log = structlog.get_logger(__name__)

LEASE_MS = 20_000
RENEW_SECONDS = 5.0
# design: whoever must wait backs off from 50 to 1000 ms.
FIRST_WAIT = 0.05
LONGEST_WAIT = 1.0

# KEYS: holders (token → lease end), queue (token → arrival), waiters (token → lease end), counter.
_TAKE = """
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms)
local dead = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ms)
for _, token in ipairs(dead) do
  redis.call('ZREM', KEYS[2], token)
  redis.call('ZREM', KEYS[3], token)
end
local function hold()
  redis.call('ZADD', KEYS[1], ms + ARGV[2], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  return 1
end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return hold() end
local free = ARGV[3] - redis.call('ZCARD', KEYS[1])
local rank = redis.call('ZRANK', KEYS[2], ARGV[1])
if not rank then
  if free > redis.call('ZCARD', KEYS[2]) then return hold() end
  redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[4]), ARGV[1])
  rank = redis.call('ZRANK', KEYS[2], ARGV[1])
end
redis.call('ZADD', KEYS[3], ms + ARGV[2], ARGV[1])
if rank < free then return hold() end
return 0
"""


class Slots:
    """The slots that this process holds or waits for. Belongs to one event loop.

    Of all that wait here for one agent only the first asks Redis again; the others sleep until it
    is their turn, so a long queue costs nothing.
    """

    def __init__(self) -> None:
        self._held: dict[str, str] = {}
        self._queues: dict[str, dict[str, asyncio.Event]] = {}
        self._script: Any = None

    @asynccontextmanager
    async def slot(self, agent: str, cap: int) -> AsyncIterator[None]:
        """Waits for one of `cap` slots of `agent` and holds it. Without Redis it does not limit."""
        token = new_id()
        try:
            if not await self._take(agent, token, cap):
                await self._wait(agent, token, cap)
            self._held[token] = agent
            yield
        finally:
            self._held.pop(token, None)
            await self._give_back(agent, token)

    async def renew_forever(self) -> None:
        """Prolongs every held slot and every place in a queue until cancelled."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            for token, agent in list(self._held.items()):
                await self._take(agent, token, 1 << 30)
            for agent, queue in list(self._queues.items()):
                # Without a free slot a further try only renews the place.
                for token in list(queue):
                    await self._take(agent, token, 0)

    async def _wait(self, agent: str, token: str, cap: int) -> None:
        queue = self._queues.setdefault(agent, {})
        called = queue[token] = asyncio.Event()
        pause, began = FIRST_WAIT, time.monotonic()
        try:
            while not (next(iter(queue)) == token and await self._take(agent, token, cap)):
                called.clear()
                first = next(iter(queue)) == token
                try:
                    await asyncio.wait_for(called.wait(), pause if first else None)
                except TimeoutError:
                    pause = min(pause * 2, LONGEST_WAIT)
        finally:
            queue.pop(token, None)
            self._call_next(agent)
        if (waited := time.monotonic() - began) >= 2:
            log.info("slot.waited", agent=agent, seconds=round(waited, 1))

    def _call_next(self, agent: str) -> None:
        queue = self._queues.get(agent)
        if queue:
            next(iter(queue.values())).set()

    async def _take(self, agent: str, token: str, cap: int) -> bool:
        client = redis_async()
        if self._script is None:
            self._script = client.register_script(_TAKE)
        try:
            return bool(await self._script(keys=_keys(agent), args=[token, LEASE_MS, cap]))
        except (redis.RedisError, OSError) as error:
            log.warning("slot.redis_away", agent=agent, error=str(error))
            return True

    async def _give_back(self, agent: str, token: str) -> None:
        holders, queue, waiters, _ = _keys(agent)
        try:
            async with redis_async().pipeline(transaction=False) as pipe:
                pipe.zrem(holders, token)
                pipe.zrem(queue, token)
                pipe.zrem(waiters, token)
                await pipe.execute()
        except (redis.RedisError, OSError) as error:
            log.warning("slot.release_failed", agent=agent, error=str(error))
        self._call_next(agent)


def _keys(agent: str) -> list[str]:
    base = f"oc:slot:{agent}"
    return [base, f"{base}:queue", f"{base}:waiters", f"{base}:counter"]
