"""Messages that join the turn that runs."""

from __future__ import annotations

from sessions.models import InboxItem
from tests.gateway_client import GatewayClient, text_of
from tests.sessions.gateway_rows import GatewayRows

TOOL = '[[tool:exec {"command":"sleep 0.8; echo slept"}]] [[final:the first answer]]'


async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """It lands behind the running tools, before the next request; no call is skipped."""
    run = await client.send(key, TOOL)
    await client.until_tool(run)
    steered = await client.send(key, "[[echo:the second answer]]", queueMode="steer")
    ended = await client.ended(run)
    assert ended.text == "the second answer"
    history = await client.history(key)
    assert [row["role"] for row in history] == [
        *("user", "assistant", "toolResult"),
        *("user", "assistant"),
    ]
    assert text_of(history[2]) == "slept"
    assert text_of(history[3]) == "[[echo:the second answer]]"
    joined = await client.ended(steered)
    assert (joined.state, joined.text) == ("final", ended.text)
    assert joined.payload["mergedInto"] == run
    item = await rows.read(lambda alias: InboxItem.objects.using(alias).get(wire_id=steered))
    assert item.outcome == "steered"


async def test_behind_a_whole_answer(client: GatewayClient, key: str) -> None:
    """The turn had nothing more to do: it goes on with the new message, and says both."""
    run = await client.send(key, "[[delay:600]] [[echo:one]]")
    await client.until(lambda event: event["payload"].get("runId") == run)
    steered = await client.send(key, "[[echo:two]]", queueMode="steer")
    ended = await client.ended(run)
    assert (ended.text, ended.deltas) == ("one\n\ntwo", "one\n\ntwo")
    assert (await client.ended(steered)).text == ended.text
    assert [text_of(row) for row in await client.history(key)] == [
        *("[[delay:600]] [[echo:one]]", "one"),
        *("[[echo:two]]", "two"),
    ]


async def test_several_keep_their_order(client: GatewayClient, key: str) -> None:
    """Each stands in the transcript by itself."""
    run = await client.send(key, TOOL)
    await client.until_tool(run)
    sent = [await client.send(key, f"more {n}", queueMode="steer") for n in range(4)]
    await client.ended(run)
    texts = [text_of(row) for row in await client.history(key) if row["role"] == "user"]
    assert texts[1:] == ["more 0", "more 1", "more 2", "more 3"]
    assert {(await client.ended(one)).state for one in sent} == {"final"}


async def test_a_message_with_its_own_model_waits(client: GatewayClient, key: str) -> None:
    """What the running turn cannot give it, it gets in a turn of its own."""
    run = await client.send(key, TOOL)
    await client.until_tool(run)
    other = await client.send(
        key, "[[echo:by the other]]", queueMode="steer", model="openai/another"
    )
    assert (await client.ended(run)).text == "the first answer"
    ended = await client.ended(other)
    assert (ended.text, ended.payload["model"]) == ("by the other", "another")
    assert "mergedInto" not in ended.payload


async def test_stopped_together(client: GatewayClient, key: str) -> None:
    """A stop of the steered message ends the turn that took it."""
    run = await client.send(key, TOOL.replace("[[final:the first answer]]", ""))
    await client.until_tool(run)
    steered = await client.send(key, "[[tokens:2000:20]]", queueMode="steer")
    await client.until_streaming(run)
    answer = await client.request("chat.abort", {"sessionKey": key, "runId": steered})
    assert sorted(answer["runIds"]) == sorted([run, steered])
    assert {(await client.ended(one)).state for one in (run, steered)} == {"aborted"}
