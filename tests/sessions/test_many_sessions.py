"""Many sessions of one agent: never more turns at once than it may run."""

from __future__ import annotations

import asyncio

from agents.database import run_db
from agents.models import Agent
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage


async def all_answered(stage: Stage, count: int, workers: int, delay: int) -> None:
    """So many sessions ask at once, of so many workers and a model that takes so long (ms)."""
    engines = [await stage.engine(f"w{number}") for number in range(workers)]
    asked = [
        await stage.accept(f"[[delay:{delay}]] [[echo:done]]", key=f"agent:main:s{n}")
        for n in range(count)
    ]
    for number, one in enumerate(asked):
        engines[number % workers].submit(one.session_id)
    items = await asyncio.gather(*(stage.ended(one) for one in asked))
    assert {item.outcome for item in items} == {"answered"}
    for engine in engines:
        await stage.idle(engine)
    assert await stage.faults() == []


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    """Twelve sessions over two workers: four at a time, which is the default."""
    model_server.reset()
    await all_answered(stage, 12, 2, delay=400)
    assert model_server.stats()["peak_in_flight"] == 4


async def test_a_cap_of_ones_own(stage: Stage, model_server: ModelServer) -> None:
    """An agent may have another limit."""
    own = {"is_default": True, "max_concurrent": 2}
    await run_db(lambda: Agent.objects.update_or_create(slug="main", defaults=own))
    model_server.reset()
    await all_answered(stage, 6, 2, delay=300)
    assert model_server.stats()["peak_in_flight"] == 2


async def test_a_crowd(stage: Stage, model_server: ModelServer) -> None:
    """Forty sessions on a quick model: none is forgotten, and the limit holds."""
    model_server.reset()
    await all_answered(stage, 40, 2, delay=0)
    assert model_server.stats()["peak_in_flight"] <= 4


async def test_a_slot_is_given_back_whatever_happens(stage: Stage) -> None:
    """Failed, stopped and broken turns leave room for the next."""
    engine = await stage.engine()
    for number in range(6):
        accepted = await stage.accept("[[status:401]]", key=f"agent:main:bad{number}")
        engine.submit(accepted.session_id)
        await stage.ended(accepted)
        timed = {"timeoutMs": 50}
        slow = await stage.accept("[[hang]]", key=f"agent:main:slow{number}", options=timed)
        engine.submit(slow.session_id)
        await stage.ended(slow)
    await stage.idle(engine)
    assert engine.slots._held.get("main", {}) == {}
