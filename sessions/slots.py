"""Slots: how many turns an agent may run at once, over all workers, first come first served.

A turn that holds its lane takes a slot of its agent. Holders and waiters are sorted sets in Redis
with a lease each, so that a killed worker's places free themselves.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
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
# KEYS: as above. ARGV: lease, then tokens. What Redis lost is put back in our order. The second
# returns who is next in the whole queue.
_RENEW_HELD = """
local now = redis.call('TIME')
local till = now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[1]
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], till, ARGV[i]) end
return {}
"""
_RENEW_WAITING = """
local now = redis.call('TIME')
local till = now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[1]
for i = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    if not redis.call('ZSCORE', KEYS[2], ARGV[i]) then
      redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[4]), ARGV[i])
    end
    redis.call('ZADD', KEYS[3], till, ARGV[i])
  end
end
return redis.call('ZRANGE', KEYS[2], 0, 9)
"""
# Tokens renewed by one call, so that Redis is never busy with us for long.
_AT_ONCE = 500


class Slots:
    """The slots that this process holds or waits for. Belongs to one event loop.

    Of all that wait here for one agent only the first asks Redis again; the others sleep until it
    is their turn, so a long queue costs nothing.
    """

    def __init__(self, worker_id: str) -> None:
        self.worker_id = worker_id
        self._held: dict[str, dict[str, None]] = {}
        self._queues: dict[str, dict[str, asyncio.Event]] = {}
        self._doors: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._scripts: dict[str, Any] = {}

    @asynccontextmanager
    async def slot(self, agent: str, cap: int) -> AsyncIterator[None]:
        """Waits for one of `cap` slots of `agent` and holds it. Without Redis it does not limit."""
        token = f"{self.worker_id}|{new_id()}"
        try:
            # One after the other: whoever waits here must stand in the order that Redis knows.
            async with self._doors[agent]:
                got = await self._take(agent, token, cap)
                if not got:
                    called = self._queues.setdefault(agent, {})[token] = asyncio.Event()
            if not got:
                await self._wait(agent, token, cap, called)
            self._held.setdefault(agent, {})[token] = None
            yield
        finally:
            self._held.get(agent, {}).pop(token, None)
            await self._give_back(agent, [token])

    async def renew_forever(self) -> None:
        """Prolongs every held slot and every place in a queue until cancelled."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            for agent in list(self._held):
                await self._renew(_RENEW_HELD, agent, self._held)
            for agent in list(self._queues):
                await self._renew(_RENEW_WAITING, agent, self._queues)

    async def _renew(self, source: str, agent: str, places: Mapping[str, Collection[str]]) -> None:
        tokens = list(places[agent])
        for first in range(0, len(tokens), _AT_ONCE):
            some = tokens[first : first + _AT_ONCE]
            try:
                front = await self._run(source, agent, LEASE_MS, *some)
            except (redis.RedisError, OSError) as error:
                log.warning("slot.renew_failed", agent=agent, error=str(error))
                return
            # What was given back meanwhile must not live on as a place that nobody has.
            if gone := [t for t in some if t not in places[agent] and not self._has(agent, t)]:
                await self._give_back(agent, gone)
            self._call(agent, front)

    def _call(self, agent: str, front: Sequence[bytes]) -> None:
        """Lets those ask who are in front, even if the order here is another one."""
        queue = self._queues.get(agent, {})
        for token in front:
            if called := queue.get(token.decode()):
                called.set()

    def _has(self, agent: str, token: str) -> bool:
        return token in self._held.get(agent, {})

    async def free_dead(self, worker_id: str) -> int:
        """Frees the places of a worker that is known to be dead. Raises redis.RedisError."""
        client, freed = redis_async(), 0
        async for key in client.scan_iter(match="oc:slot:*", count=500, _type="zset"):
            members: Any = await client.zrange(key, 0, -1)
            if dead := [m for m in members if m.startswith(f"{worker_id}|".encode())]:
                freed += int(await client.zrem(key, *dead))
        return freed

    async def _wait(self, agent: str, token: str, cap: int, called: asyncio.Event) -> None:
        queue = self._queues[agent]
        pause, began = FIRST_WAIT, time.monotonic()
        try:
            while True:
                first = next(iter(queue)) == token
                if first or called.is_set():
                    # Before the question: a slot that is given back meanwhile calls again.
                    called.clear()
                    if await self._take(agent, token, cap):
                        break
                try:
                    # wait_for of Python 3.11 may swallow a cancellation.
                    async with asyncio.timeout(pause if first else None):
                        await called.wait()
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
        try:
            return bool(await self._run(_TAKE, agent, token, LEASE_MS, cap))
        except (redis.RedisError, OSError) as error:
            log.warning("slot.redis_away", agent=agent, error=str(error))
            return True

    async def _run(self, source: str, agent: str, *args: Any) -> Any:
        script = self._scripts.get(source)
        if script is None:
            script = self._scripts[source] = redis_async().register_script(source)
        return await script(keys=_keys(agent), args=args)

    async def _give_back(self, agent: str, tokens: Sequence[str]) -> None:
        try:
            async with redis_async().pipeline(transaction=False) as pipe:
                for key in _keys(agent)[:3]:
                    pipe.zrem(key, *tokens)
                await pipe.execute()
        except (redis.RedisError, OSError) as error:
            log.warning("slot.release_failed", agent=agent, error=str(error))
        self._call_next(agent)


def _keys(agent: str) -> list[str]:
    base = f"oc:slot:{agent}"
    return [base, f"{base}:queue", f"{base}:waiters", f"{base}:counter"]
