"""Answering again from an earlier place of the conversation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gateway_client import GatewayClient, RequestRefused, text_of


def entry(row: dict[str, Any]) -> str:
    """The entry id of a row of the history."""
    found: str = row["__openclaw"]["id"]
    return found


async def test_it_works(client: GatewayClient, key: str) -> None:
    """The same question behind the same entry: the new answer is on the active branch."""
    await client.turn(key, "[[echo:hello]]")
    await client.turn(key, "[[echo:bad answer]]")
    leaf = entry((await client.history(key))[1])
    ended = await client.turn(key, "[[echo:good answer]]", expectedLeafEntryId=leaf)
    assert ended.text == "good answer"
    texts = [text_of(row) for row in await client.history(key)]
    assert texts == ["[[echo:hello]]", "hello", "[[echo:good answer]]", "good answer"]


async def test_from_the_very_beginning(client: GatewayClient, key: str) -> None:
    """An empty place means before the first message."""
    await client.turn(key, "[[echo:one]]")
    await client.turn(key, "[[echo:another one]]", expectedLeafEntryId="")
    assert [text_of(row) for row in await client.history(key)] == [
        "[[echo:another one]]",
        "another one",
    ]


async def test_the_end_is_the_ordinary_place(client: GatewayClient, key: str) -> None:
    """A client that names the last entry simply goes on."""
    await client.turn(key, "[[echo:one]]")
    leaf = entry((await client.history(key))[-1])
    await client.turn(key, "[[echo:two]]", expectedLeafEntryId=leaf)
    assert len(await client.history(key)) == 4


async def test_the_model_does_not_see_the_other_branch(client: GatewayClient, key: str) -> None:
    """What was left behind is not sent."""
    await client.turn(key, "[[echo:" + "long " * 12_000 + "]]")
    ended = await client.turn(key, "[[overflow:50000]] [[echo:short]]", expectedLeafEntryId="")
    assert (ended.state, ended.text) == ("final", "short")


async def test_it_is_not_merged(client: GatewayClient, key: str) -> None:
    """Behind a running turn it waits for one of its own."""
    await client.turn(key, "[[echo:one]]")
    leaf = entry((await client.history(key))[-1])
    first = await client.send(key, "[[delay:500]] [[echo:two]]")
    await client.until(lambda event: event["payload"].get("runId") == first)
    again = await client.send(key, "[[echo:again]]", expectedLeafEntryId=leaf, queueMode="collect")
    other = await client.send(key, "[[echo:other]]", queueMode="collect")
    assert (await client.ended(again)).text == "again"
    assert (await client.ended(other)).text == "other"
    texts = [text_of(row) for row in await client.history(key)]
    assert texts == ["[[echo:one]]", "one", "[[echo:again]]", "again", "[[echo:other]]", "other"]


async def test_an_unknown_place_is_refused(client: GatewayClient, key: str) -> None:
    """The field is named, and nothing was stored."""
    await client.turn(key, "hello")
    with pytest.raises(RequestRefused, match="expectedLeafEntryId 'deadbeef'"):
        await client.send(key, "again", expectedLeafEntryId="deadbeef")
    assert len(await client.history(key)) == 2
