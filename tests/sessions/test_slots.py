"""How many turns an agent may run at once, over all workers, first come first served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sessions import slots as module
from sessions.redis_client import redis_async
from sessions.slots import Slots
from tests.platform.redis_server import RedisServer
from tests.sessions.stage import Stage

pytestmark = pytest.mark.usefixtures("clean_redis")
until = Stage().until


class Holder:
    """Takes slots in tasks of its own, and says who holds one."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.holding: list[str] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, slots: Slots, name: str, cap: int) -> None:
        """Begins to wait for a slot."""
        self.started.append(name)
        self._tasks[name] = asyncio.create_task(self._hold(slots, name, cap))

    async def _hold(self, slots: Slots, name: str, cap: int) -> None:
        async with slots.slot("main", cap):
            self.holding.append(name)
            try:
                await asyncio.Event().wait()
            finally:
                self.holding.remove(name)

    async def end(self, *names: str) -> None:
        """Gives back, or stops waiting."""
        for name in names or tuple(self._tasks):
            task = self._tasks.pop(name)
            # Once may not be enough: on Python 3.11 a Redis call that just ends swallows it.
            while not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=0.2)


@asynccontextmanager
async def holder() -> AsyncIterator[Holder]:
    """A holder that lets go at the end."""
    made = Holder()
    try:
        yield made
    finally:
        await made.end()


async def queued() -> int:
    """How many wait in Redis."""
    return int(await redis_async().zcard("oc:slot:main:queue"))


async def wait_queued(count: int) -> None:
    """Returns when so many wait."""

    async def reached() -> bool:
        return await queued() == count

    await until(reached)


async def test_it_works() -> None:
    """Two of four get a slot; the third follows as soon as one is given back."""
    slots = Slots("w1")
    async with holder() as held:
        for number, name in enumerate("abcd"):
            held.start(slots, name, 2)
            await until(lambda: len(held.holding) == min(len(held.started), 2))
            await wait_queued(max(0, number - 1))
        assert held.holding == ["a", "b"]
        await held.end("a")
        await until(lambda: "c" in held.holding)
        assert held.holding == ["b", "c"]


async def test_first_come_first_served_over_workers() -> None:
    """The order of asking decides, whichever worker asked."""
    workers = [Slots("w1"), Slots("w2")]
    async with holder() as held:
        held.start(workers[0], "first", 1)
        await until(lambda: held.holding == ["first"])
        for number in range(6):
            held.start(workers[number % 2], f"n{number}", 1)
            await wait_queued(number + 1)
        served = []
        await held.end("first")
        for number in range(6):
            await until(lambda: len(held.holding) == 1)
            served += held.holding
            await held.end(f"n{number}")
        assert served == [f"n{number}" for number in range(6)]


async def test_never_more_than_the_cap() -> None:
    """Fifty tasks on three slots: at most three at once, all get their turn."""
    slots, now, peak, done = Slots("w1"), 0, 0, 0

    async def work() -> None:
        nonlocal now, peak, done
        async with slots.slot("main", 3):
            now += 1
            peak = max(peak, now)
            await asyncio.sleep(0.002)
            now -= 1
            done += 1

    await asyncio.gather(*(work() for _ in range(50)))
    assert (peak, done) == (3, 50)
    assert await redis_async().zcard("oc:slot:main") == 0


async def test_agents_do_not_share() -> None:
    """A full agent does not hold up another one."""
    slots = Slots("w1")
    async with slots.slot("main", 1), slots.slot("other", 1):
        pass


async def test_places_of_a_dead_worker_free_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody renews them: holder and waiter are gone when their lease has ended."""
    monkeypatch.setattr(module, "LEASE_MS", 60)
    dead = Slots("w1")
    assert await dead._take("main", "w1|holder", 1)
    assert not await dead._take("main", "w1|waiter", 1)
    monkeypatch.setattr(module, "LEASE_MS", 60_000)
    async with asyncio.timeout(20), Slots("w2").slot("main", 1):
        assert await redis_async().zrange("oc:slot:main:queue", 0, -1) == []


async def test_places_of_a_dead_worker_are_freed_at_once() -> None:
    """The supervisor names the dead worker; nobody waits for leases to end."""
    dead = Slots("w1")
    assert await dead._take("main", "w1|holder", 1)
    assert not await dead._take("main", "w1|waiter", 1)
    alive = Slots("w2")
    assert await alive.free_dead("w1") == 3
    assert await alive._take("main", "w2|x", 1)


async def test_a_name_that_begins_alike_is_another_worker() -> None:
    """w1 is dead, w12 is not."""
    assert await Slots("w12")._take("main", "w12|holder", 1)
    assert await Slots("w2").free_dead("w1") == 0


async def test_renewing_keeps_a_place_longer_than_its_lease(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Holders and waiters that live stay where they are."""
    monkeypatch.setattr(module, "LEASE_MS", 400)
    monkeypatch.setattr(module, "RENEW_SECONDS", 0.05)
    slots, other = Slots("w1"), Slots("w2")
    renewing = asyncio.create_task(slots.renew_forever())
    async with holder() as held:
        held.start(slots, "a", 1)
        await until(lambda: held.holding == ["a"])
        held.start(slots, "b", 1)
        await wait_queued(1)
        await asyncio.sleep(0.9)
        assert not await other._take("main", "w2|x", 1)
        await other._give_back("main", ["w2|x"])
        assert held.holding == ["a"]
        assert await queued() == 1
    renewing.cancel()


async def test_renewing_restores_what_redis_lost(
    monkeypatch: pytest.MonkeyPatch, clean_redis: RedisServer
) -> None:
    """After a Redis without memory the cap holds again, and the queue has its old order."""
    monkeypatch.setattr(module, "RENEW_SECONDS", 0.05)
    slots = Slots("w1")
    async with holder() as held:
        held.start(slots, "a", 1)
        await until(lambda: held.holding == ["a"])
        monkeypatch.setattr(module, "FIRST_WAIT", 3600)
        for number, name in enumerate("bc"):
            held.start(slots, name, 1)
            await wait_queued(number + 1)
        before = await redis_async().zrange("oc:slot:main:queue", 0, -1)
        clean_redis.flush()
        renewing = asyncio.create_task(slots.renew_forever())
        await wait_queued(2)
        assert await redis_async().zrange("oc:slot:main:queue", 0, -1) == before
        assert held.holding == ["a"]
        renewing.cancel()


async def test_renewing_never_brings_back_what_was_given_back() -> None:
    """A slot given back while its renewal is under way does not live on."""
    slots = Slots("w1")
    for _ in range(30):
        entered = asyncio.Event()

        async def short(event: asyncio.Event = entered) -> None:
            async with slots.slot("main", 5):
                event.set()
                await asyncio.sleep(0)

        task = asyncio.create_task(short())
        await entered.wait()
        await asyncio.gather(slots._renew(module._RENEW_HELD, "main", slots._held), task)
        assert await redis_async().zcard("oc:slot:main") == 0


async def test_whoever_stops_waiting_makes_room() -> None:
    """A cancelled waiter does not block those behind it."""
    slots = Slots("w1")
    async with holder() as held:
        for number, name in enumerate("abc"):
            held.start(slots, name, 1)
            await until(lambda: len(held.holding) == 1)
            await wait_queued(number)
        await held.end("b")
        await held.end("a")
        await until(lambda: held.holding == ["c"])


async def test_without_redis_nobody_is_held_up(redis_server: RedisServer) -> None:
    """The cap is a courtesy; a turn is not."""
    slots = Slots("w1")
    redis_server.stop(kill=True)
    try:
        async with asyncio.timeout(20), slots.slot("main", 1), slots.slot("main", 1):
            pass
    finally:
        redis_server.start()
