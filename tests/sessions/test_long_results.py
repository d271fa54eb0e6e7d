"""Tools that say a lot, and texts that are long or odd."""

from __future__ import annotations

import pytest

from sessions.models import ToolCall
from tests.gateway_client import GatewayClient, text_of
from tests.sessions.gateway_rows import GatewayRows


async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """A megabyte of output: the model gets a part, and the turn ends as any other."""
    message = '[[tool:exec {"command":"seq 1 150000"}]] [[final:counted]]'
    ended = await client.turn(key, message)
    assert ended.text == "counted"
    call = await rows.read(lambda alias: ToolCall.objects.using(alias).get(run__wire_id=ended.run))
    assert call.result is not None
    text = text_of(call.result)
    assert 1000 < len(text) < 200_000
    assert "150000" in text


async def test_many_calls_at_once(client: GatewayClient, key: str) -> None:
    """Results stand in the order of the calls, not of their ends."""
    calls = "".join(f'[[tool:exec {{"command":"sleep 0.{9 - n}; echo r{n}"}}]]' for n in range(6))
    await client.turn(key, f"{calls} [[parallel]] [[final:all]]")
    results = [text_of(row) for row in await client.history(key) if row["role"] == "toolResult"]
    assert results == [f"r{n}" for n in range(6)]


async def test_a_long_answer(client: GatewayClient, key: str) -> None:
    """What was streamed is what is stored."""
    ended = await client.turn(key, "[[tokens:5000:0]]")
    assert ended.text == ended.deltas == "".join(f"tok{n} " for n in range(5000))


async def test_a_long_message(client: GatewayClient, key: str) -> None:
    """Half a million characters are a message."""
    text = "long " * 90_000
    assert (await client.turn(key, text)).text == "ok"


@pytest.mark.parametrize(
    "text", ["naïve café 日本語 🦞", "a\u2028b", 'quo"te \\ back', "\t tab\n\n"]
)
async def test_every_character_survives(client: GatewayClient, key: str, text: str) -> None:
    """Through socket, database, model and back."""
    ended = await client.turn(key, f"[[echo:{text}]]")
    assert ended.text == text
    history = [text_of(row) for row in await client.history(key)]
    assert history == [f"[[echo:{text}]]", text]


async def test_zero_characters(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """A tool that prints NUL, and one that is called with it, do not break the turn."""
    command = "echo -e 'a\\\\0b'"
    ended = await client.turn(key, f'[[tool:exec {{"command":"{command}"}}]] [[final:fine]]')
    assert (ended.state, ended.text) == ("final", "fine")
    ended = await client.turn(key, '[[tool:exec {"command":"echo \\u0000"}]] [[final:too]]')
    assert (ended.state, ended.text) == ("final", "too")
