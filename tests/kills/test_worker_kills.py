"""kill -9 of the worker in fifty turns with tools: half at random, half at named failpoints."""

from __future__ import annotations

import asyncio
import os
import random

import pytest

from tests.kills.killing import MOST_EXPLAINED, Turns, check, random_kills
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway

pytestmark = [pytest.mark.kills, pytest.mark.timeout(480)]

SEED = int(os.environ.get("OPENCLAW_TEST_KILL_SEED") or random.SystemRandom().randrange(1_000_000))
# About one kill in eight turns: it interrupts all that run, and no turn may die more than thrice.
FAILPOINTS = "claimed=0.02,streaming=0.008,tool_started=0.012,before_end=0.02,after_end=0.025"
POINTS = {point.partition("=")[0] for point in FAILPOINTS.split(",")}
KILLED = "worker | ended (killed by SIGKILL)"


def start(factory: GatewayFactory, model_server: ModelServer, failpoints: str = "") -> Gateway:
    """A gateway that starts dead children again at once."""
    return factory(
        OPENAI_API_KEY="sk-test",
        OPENAI_BASE_URL=model_server.openai_url,
        OPENCLAW_MODEL="openai/scripted",
        OPENCLAW_BACKOFF_LIMIT="0.1",
        OPENCLAW_FAILPOINT_SEED=str(SEED),
        OPENCLAW_FAILPOINTS=failpoints,
    )


def kills(gateway: Gateway) -> int:
    """How often the worker was killed so far."""
    return sum(line.startswith(KILLED) for line in gateway.lines)


def reached(gateway: Gateway) -> list[str]:
    """The failpoints at which a process died, in order."""
    said = (line.partition("| failpoint ")[2] for line in gateway.lines)
    return [name for name in said if name]


def test_it_works(gateway_factory: GatewayFactory, model_server: ModelServer) -> None:
    gateway = start(gateway_factory, model_server)
    turns = Turns(gateway, SEED, watched=True)

    async def scenario() -> None:
        await turns.more(5)
        assert await check(gateway, turns) == {"answered": 5}

    asyncio.run(scenario())


def test_random_kills(gateway_factory: GatewayFactory, model_server: ModelServer) -> None:
    print(f"seed {SEED}; set OPENCLAW_TEST_KILL_SEED to repeat")  # noqa: T201
    gateway = start(gateway_factory, model_server)
    turns = Turns(gateway, SEED, watched=True)

    async def scenario() -> None:
        done, chance = 0, random.Random(SEED)
        while done < 25:
            # As many turns as it takes: a quick machine finishes them between two kills.
            work = asyncio.create_task(turns.more(25))
            done += await random_kills(gateway, "worker", 25 - done, chance, work)
            await work
        outcomes = await check(gateway, turns)
        assert outcomes["explained"] <= MOST_EXPLAINED, outcomes

    asyncio.run(scenario())
    assert kills(gateway) >= 25


def test_kills_at_failpoints(gateway_factory: GatewayFactory, model_server: ModelServer) -> None:
    print(f"seed {SEED}; set OPENCLAW_TEST_KILL_SEED to repeat")  # noqa: T201
    gateway = start(gateway_factory, model_server, FAILPOINTS)
    # A kill interrupts every turn that runs; with more of them some would die too often.
    turns = Turns(gateway, SEED, watched=True, sessions=3)

    async def scenario() -> None:
        while kills(gateway) < 25 or set(reached(gateway)) != POINTS:
            await turns.more(25)
        outcomes = await check(gateway, turns)
        assert outcomes["explained"] <= MOST_EXPLAINED, outcomes

    asyncio.run(scenario())
