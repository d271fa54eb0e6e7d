"""Lanes: at most one worker on a session at a time.

A lane is a Redis key with a lease of 15 s that one renewer per process prolongs every 5 s. Whoever
finds it taken marks it dirty, and the holder goes round again before it lets go, so no wake is lost
between "nothing waits" and "released". The lane is a courtesy, not the guard: the guard is the
fence in the session row, which every write of a turn checks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
import structlog

from agents.ids import new_id
from sessions.redis_client import redis_async

log = structlog.get_logger(__name__)

LEASE_MS = 15_000
RENEW_SECONDS = 5.0

# The same token again is the repeat of a call whose answer was lost.
_CLAIM = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('DEL', KEYS[2])
  return 1
end
if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
redis.call('SET', KEYS[2], '1', 'PX', 600000)
return 0
"""
# 2: somebody knocked meanwhile, the lane is kept. 1: released. 0: it was not ours any more.
_RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' and redis.call('DEL', KEYS[2]) == 1 then return 2 end
redis.call('DEL', KEYS[1])
return 1
"""
# A lane that vanished with Redis is taken again, unless somebody else was quicker.
_RENEW = """
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1
end
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0
"""


def lane_key(session_id: str) -> str:
    """The Redis key of a session's lane."""
    return f"oc:lane:{session_id}"


@dataclass(slots=True)
class Lane:
    """A held lane. When another worker took it over it is `lost`, and `on_lost` is called.

    `knocked`: somebody of this process wanted the lane meanwhile. It is a flag in memory, because
    a mark in Redis that is still under way when the lane is let go would be lost.
    """

    session_id: str
    token: str
    knocked: bool = False
    lost: bool = False
    on_lost: Callable[[], None] | None = None


class Lanes:
    """The lanes that this process holds. Belongs to one event loop."""

    def __init__(self, worker_id: str) -> None:
        self.worker_id = worker_id
        self.held: dict[str, Lane] = {}
        self._scripts: WeakKeyDictionary[redis.asyncio.Redis, dict[str, Any]] = WeakKeyDictionary()

    async def claim(self, session_id: str) -> Lane | None:
        """The lane, or None when it is taken (its holder was told to look again).

        Raises redis.RedisError when Redis is away; the sweeper tries again later.
        """
        if session_id in self.held:
            self.held[session_id].knocked = True
            return None
        lane = Lane(session_id, f"{self.worker_id}|{new_id()}")
        got = await self._run(_CLAIM, session_id, lane.token, LEASE_MS)
        if not got:
            return None
        self.held[session_id] = lane
        return lane

    async def release(self, lane: Lane, *, force: bool = False) -> bool:
        """Lets go. True means: somebody knocked meanwhile, the lane is still ours, go again.

        With `force` it is let go whatever happened. Never raises.
        """
        if not self._holds(lane):
            return False
        if lane.knocked and not force:
            lane.knocked = False
            return True
        del self.held[lane.session_id]
        try:
            outcome = await self._run(_RELEASE, lane.session_id, lane.token, int(force))
        except (redis.RedisError, OSError) as error:
            log.warning("lane.release_failed", session=lane.session_id, error=str(error))
            return False
        if outcome == 2:
            self.held[lane.session_id] = lane
            return True
        return False

    async def poked(self, lane: Lane) -> bool:
        """Whether somebody knocked since the lane was taken. True when Redis cannot say."""
        if lane.knocked:
            return True
        try:
            return bool(await redis_async().exists(f"{lane_key(lane.session_id)}:dirty"))
        except (redis.RedisError, OSError):
            return True

    async def renew_forever(self) -> None:
        """Prolongs every held lane until cancelled; tells a lost one, waits Redis faults out."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            for lane in list(self.held.values()):
                await self._renew(lane)

    async def _renew(self, lane: Lane) -> None:
        if not self._holds(lane):
            return
        try:
            kept = await self._run(_RENEW, lane.session_id, lane.token, LEASE_MS)
            if not self._holds(lane):
                # It was let go meanwhile, and renewing may have brought it back.
                await self._run(_RELEASE, lane.session_id, lane.token, 1)
                return
        except (redis.RedisError, OSError) as error:
            log.warning("lane.renew_failed", session=lane.session_id, error=str(error))
            return
        if kept or lane.lost:
            return
        lane.lost = True
        if lane.on_lost is not None:
            lane.on_lost()

    def _holds(self, lane: Lane) -> bool:
        return self.held.get(lane.session_id) is lane

    async def free_dead(self, worker_id: str) -> int:
        """Frees every lane of a worker that is known to be dead. Returns how many."""
        client, freed = redis_async(), 0
        async for key in client.scan_iter(match="oc:lane:*", count=500):
            token = None if key.endswith(b":dirty") else await client.get(key)
            if isinstance(token, bytes) and token.startswith(f"{worker_id}|".encode()):
                freed += int(await client.delete(key))
        return freed

    async def _run(self, source: str, session_id: str, *args: Any) -> int:
        client = redis_async()
        scripts = self._scripts.setdefault(client, {})
        script = scripts.get(source)
        if script is None:
            script = scripts[source] = client.register_script(source)
        key = lane_key(session_id)
        return int(await script(keys=[key, f"{key}:dirty"], args=args))
