"""At most one worker on a session, and no knock is lost."""

from __future__ import annotations

import asyncio

import pytest

from sessions import lanes as module
from sessions.lanes import Lane, Lanes, lane_key
from sessions.redis_client import redis_async
from tests.platform.redis_server import RedisServer
from tests.sessions.stage import Stage

pytestmark = pytest.mark.usefixtures("clean_redis")
until = Stage().until


async def claimed(lanes: Lanes, session: str = "s1") -> Lane:
    """The lane, which must be free."""
    lane = await lanes.claim(session)
    assert lane is not None
    return lane


async def test_it_works() -> None:
    """One holds it, the other is turned away, and after the release it is free."""
    first, second = Lanes("w1"), Lanes("w2")
    lane = await claimed(first)
    assert await second.claim("s1") is None
    assert await first.release(lane), "somebody knocked"
    assert not await first.release(lane)
    assert await second.claim("s1") is not None


async def test_it_is_leased() -> None:
    """A lane is never held longer than its lease without being renewed."""
    await claimed(Lanes("w1"))
    left = await redis_async().pttl(lane_key("s1"))
    assert 0 < left <= module.LEASE_MS


async def test_a_knock_while_held_is_not_lost() -> None:
    """The holder is told to look again, once."""
    lanes = Lanes("w1")
    lane = await claimed(lanes)
    assert await Lanes("w2").claim("s1") is None
    assert await lanes.poked(lane)
    assert await lanes.release(lane), "somebody knocked: still ours"
    assert not await lanes.poked(lane)
    assert not await lanes.release(lane)
    assert not await redis_async().exists(lane_key("s1"))


async def test_a_knock_of_our_own_counts() -> None:
    """A second wake of the same process marks the lane as well."""
    lanes = Lanes("w1")
    lane = await claimed(lanes)
    assert await lanes.claim("s1") is None
    assert await lanes.release(lane)


async def test_an_old_knock_does_not_count() -> None:
    """Whoever takes the lane looks anyway."""
    first, second = Lanes("w1"), Lanes("w2")
    lane = await claimed(first)
    await second.claim("s1")
    await first.release(lane, force=True)
    lane = await claimed(second)
    assert not await second.poked(lane)


@pytest.mark.parametrize("force", [False, True])
async def test_a_lane_of_somebody_else_is_not_released(force: bool) -> None:
    """After a lost lease the new holder keeps it."""
    first, second = Lanes("w1"), Lanes("w2")
    lane = await claimed(first)
    await redis_async().delete(lane_key("s1"))
    await claimed(second)
    assert not await first.release(lane, force=force)
    assert await redis_async().exists(lane_key("s1"))


async def test_renewing_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A live worker holds its lane for longer than a lease."""
    monkeypatch.setattr(module, "LEASE_MS", 300)
    monkeypatch.setattr(module, "RENEW_SECONDS", 0.05)
    lanes, other = Lanes("w1"), Lanes("w2")
    await claimed(lanes)
    renewing = asyncio.create_task(lanes.renew_forever())
    await asyncio.sleep(0.7)
    assert await other.claim("s1") is None
    renewing.cancel()
    await until_free("s1")
    await claimed(other)


async def until_free(session: str) -> None:
    """Returns when the lease has ended."""

    async def free() -> bool:
        return not await redis_async().exists(lane_key(session))

    await until(free)


async def test_a_lost_lane_is_told_once() -> None:
    """Another worker took it: the turn must hear of it, and no turn may begin any more."""
    first = Lanes("w1")
    lane = await claimed(first)
    told = []
    lane.on_lost = lambda: told.append(1)
    await redis_async().delete(lane_key("s1"))
    await claimed(Lanes("w2"))
    for _ in range(2):
        await first._renew(lane)
    assert (lane.lost, told) == (True, [1])


async def test_a_lane_that_redis_lost_is_taken_again(clean_redis: RedisServer) -> None:
    """A Redis without memory costs nobody a turn."""
    lanes = Lanes("w1")
    lane = await claimed(lanes)
    clean_redis.flush()
    await lanes._renew(lane)
    assert not lane.lost
    assert await Lanes("w2").claim("s1") is None


async def test_without_redis(redis_server: RedisServer) -> None:
    """Letting go never raises, and whether somebody knocked is then asked of the rows."""
    lanes = Lanes("w1")
    lane = await claimed(lanes)
    redis_server.stop(kill=True)
    try:
        assert await lanes.poked(lane)
        assert not await lanes.release(lane)
        assert lanes.held == {}
    finally:
        redis_server.start()


async def test_lanes_of_a_dead_worker_are_freed() -> None:
    """Only its own, at once."""
    dead, alive = Lanes("w1"), Lanes("w12")
    await claimed(dead, "s1")
    await claimed(dead, "s2")
    await claimed(alive, "s3")
    await dead.claim("s1")
    assert await alive.free_dead("w1") == 2
    await claimed(alive, "s1")
    assert await dead.claim("s3") is None


async def test_many_claims_at_once() -> None:
    """However many workers ask, exactly one holds the lane, and all knocks are one."""
    workers = [Lanes(f"w{number}") for number in range(20)]
    got = await asyncio.gather(*(lanes.claim("s1") for lanes in workers))
    (lane,) = [one for one in got if one is not None]
    holder = next(lanes for lanes in workers if lanes.held)
    assert await holder.release(lane)
    assert not await holder.release(lane)


class Interrupted(Lanes):
    """Lanes whose renewal is overtaken by a release: it reaches Redis first."""

    async def _run(self, source: str, session_id: str, *args: object) -> int:
        if source == module._RENEW and (lane := self.held.get(session_id)) is not None:
            assert not await self.release(lane)
        return await super()._run(source, session_id, *args)


async def test_renewing_brings_no_lane_back() -> None:
    """A lane that is let go while its renewal is under way stays free."""
    lanes = Interrupted("w1")
    lane = await claimed(lanes)
    await lanes._renew(lane)
    assert not await redis_async().exists(lane_key("s1"))
    assert await Lanes("w2").claim("s1") is not None
