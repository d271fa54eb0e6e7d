"""A turn that takes too long is ended and says so."""

from __future__ import annotations

import pytest

from agents.database import run_db
from agents.models import Agent
from tests.gateway_client import GatewayClient, text_of
from tests.sessions.stage import Stage


async def test_it_works(client: GatewayClient, key: str) -> None:
    """The message's own limit: what was said until then is kept."""
    ended = await client.turn(key, "[[tokens:2000:20]]", timeoutMs=500)
    assert (ended.state, ended.payload["stopReason"]) == ("aborted", "timeout")
    assert ended.text == ended.deltas != ""
    assert text_of((await client.history(key))[-1]) == ended.text
    assert (await client.turn(key, "[[echo:still here]]")).text == "still here"


async def test_a_tool_is_ended(client: GatewayClient, key: str) -> None:
    """The limit holds for what tools take as well."""
    message = '[[tool:exec {"command":"sleep 60"}]]'
    ended = await client.turn(key, message, timeoutMs=500)
    assert ended.payload["stopReason"] == "timeout"
    roles = [row["role"] for row in await client.history(key)]
    assert roles == ["user", "assistant", "toolResult"]


@pytest.mark.parametrize("own", [None, 0])
async def test_the_agents_limit(stage: Stage, own: int | None) -> None:
    """It holds where the message states none; a stated 0 means none."""
    limit = {"is_default": True, "timeout_seconds": 1}
    await run_db(lambda: Agent.objects.update_or_create(slug="main", defaults=limit))
    engine = await stage.engine()
    options = {} if own is None else {"timeoutMs": own}
    accepted = await stage.accept("[[delay:1300]] [[echo:done]]", options=options)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.outcome == ("stopped" if own is None else "answered")
    if own is None:
        assert item.detail == "the time limit"
