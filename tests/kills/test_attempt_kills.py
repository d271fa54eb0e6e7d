"""kill -9 of the worker before a call, while it streams, between attempts, in a compaction."""

from __future__ import annotations

import asyncio
import json
import os
import random

import pytest

from tests.kills.killing import MOST_EXPLAINED, Turns, check
from tests.kills.test_worker_kills import kills, reached
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway

pytestmark = [pytest.mark.kills, pytest.mark.timeout(480)]

SEED = int(os.environ.get("OPENCLAW_TEST_KILL_SEED") or random.SystemRandom().randrange(1_000_000))
FAILPOINTS = "before_call=0.015,streaming=0.008,between_attempts=0.05,compacting=0.15"
POINTS = {point.partition("=")[0] for point in FAILPOINTS.split(",")}
# A window that a few of the messages below fill.
WINDOW = 17_000
PADDING = "Nothing of this matters, but it takes room. " * 120


def message(number: int) -> str:
    """A long turn with a tool whose first call fails."""
    write = json.dumps({"path": f"kill-{number:03d}.txt", "content": f"{number}"})
    return (
        f"message-{number:03d} [[status:500:1]] [[tool:write {write}]] "
        f"[[final:reply-{number:03d} one two three]] [[delay:30]] {PADDING}"
    )


def start(factory: GatewayFactory, model_server: ModelServer) -> Gateway:
    """A gateway whose model has a small window and no key that could have to rest."""
    gateway = factory(
        OPENCLAW_MODEL="fake/small",
        OPENCLAW_BACKOFF_LIMIT="0.1",
        OPENCLAW_FAILPOINT_SEED=str(SEED),
        OPENCLAW_FAILPOINTS=FAILPOINTS,
    )
    model = {"id": "small", "contextWindow": WINDOW, "maxTokens": 1000}
    provider = {"baseUrl": model_server.openai_url, "models": [model]}
    document = gateway.home / "fake.json"
    document.write_text(json.dumps({"models": {"providers": {"fake": provider}}}))
    gateway.manage("config", "apply", str(document))
    return gateway


def test_it_works(gateway_factory: GatewayFactory, model_server: ModelServer) -> None:
    print(f"seed {SEED}; set OPENCLAW_TEST_KILL_SEED to repeat")  # noqa: T201
    gateway = start(gateway_factory, model_server)
    turns = Turns(gateway, SEED, watched=True, sessions=3, message=message)

    async def scenario() -> None:
        while kills(gateway) < 12 or set(reached(gateway)) != POINTS:
            await turns.more(20)
        outcomes = await check(gateway, turns)
        assert outcomes["explained"] <= MOST_EXPLAINED, outcomes

    asyncio.run(scenario())
