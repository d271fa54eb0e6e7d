"""sessions.compact on the WebSocket of a real gateway."""

from __future__ import annotations

import pytest

from tests.gateway_client import GatewayClient, RequestRefused, text_of


async def filled(client: GatewayClient, key: str, turns: int = 6) -> None:
    """A conversation with long messages."""
    for number in range(turns):
        await client.turn(key, f"[[echo:answer {number}]] " + "word " * 400)


async def test_it_works(client: GatewayClient, key: str) -> None:
    """It answers when it is done; the history shows all that was said, and the summary."""
    await filled(client, key)
    answer = await client.request(
        "sessions.compact", {"key": key, "instructions": "[[echo:the sum]]"}
    )
    assert (answer["ok"], answer["compacted"]) == (True, True)
    sizes = answer["result"]
    assert sizes["tokensAfter"] < sizes["tokensBefore"]
    assert answer["text"].startswith("Compacted (")
    rows = await client.history(key)
    assert [row["role"] for row in rows] == ["user", "assistant"] * 6 + ["notice"]
    assert rows[-1]["kind"] == "compaction"
    assert "the sum" in rows[-1]["summary"]
    assert (await client.turn(key, "[[echo:on]]")).text == "on"
    found = await client.request("sessions.describe", {"key": key})
    assert 0 < found["session"]["totalTokens"] < found["session"]["contextTokens"]


async def test_only_the_newest(client: GatewayClient, key: str) -> None:
    """maxLines keeps so many messages and asks no model."""
    await filled(client, key)
    answer = await client.request("sessions.compact", {"key": key, "maxLines": 4})
    assert (answer["compacted"], answer["kept"], answer["reason"]) == (True, 4, "trimmed")
    assert text_of((await client.history(key))[0]).startswith("[[echo:answer 0]]")


async def test_nothing_to_do(client: GatewayClient, key: str) -> None:
    """It says so."""
    await client.turn(key, "hello")
    answer = await client.request("sessions.compact", {"key": key})
    assert (answer["ok"], answer["compacted"]) == (True, False)
    assert answer["text"].startswith("Not compacted:")


async def test_an_unknown_session(client: GatewayClient) -> None:
    """No session is made for it."""
    with pytest.raises(RequestRefused, match="NOT_FOUND|not found|There is no"):
        await client.request("sessions.compact", {"key": "agent:main:never-there"})


async def test_events(client: GatewayClient, key: str) -> None:
    """Watchers get the stream "compaction"."""
    await filled(client, key)
    await client.request("sessions.compact", {"key": key})
    phases = [
        event["payload"]["data"]["phase"]
        for event in client.events
        if event["event"] == "agent" and event["payload"].get("stream") == "compaction"
    ]
    assert phases == ["start", "end"]
