"""kill -9 of the web process after it took a message, and of Redis in the middle of turns."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.kills.killing import MOST_EXPLAINED, Turns, check, random_kills
from tests.kills.test_worker_kills import SEED, start
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory

pytestmark = [pytest.mark.kills, pytest.mark.timeout(480)]


@pytest.mark.parametrize("child", ["redis", "web"])
def test_it_works(child: str, gateway_factory: GatewayFactory, model_server: ModelServer) -> None:
    gateway = start(gateway_factory, model_server)
    turns = Turns(gateway, SEED)

    async def scenario() -> None:
        done, chance = 0, random.Random(SEED)
        while done < 3:
            # As many turns as it takes: a quick machine finishes them between two kills.
            work = asyncio.create_task(turns.more(20))
            done += await random_kills(gateway, child, 3 - done, chance, work)
            await work
        outcomes = await check(gateway, turns)
        assert outcomes["explained"] <= MOST_EXPLAINED, outcomes

    asyncio.run(scenario())


def test_web_dies_between_commit_and_answer(
    gateway_factory: GatewayFactory, model_server: ModelServer
) -> None:
    gateway = start(gateway_factory, model_server, "accepted=0.3")
    turns = Turns(gateway, SEED)

    async def scenario() -> None:
        await turns.more(15)
        outcomes = await check(gateway, turns)
        assert outcomes == {"answered": 15}

    asyncio.run(scenario())
    assert any(line.startswith("web    | ended (killed by SIGKILL)") for line in gateway.lines)
