"""Stopping a turn wherever it is, and messages that wait."""

from __future__ import annotations

import asyncio

import pytest

from sessions.models import InboxItem, Run, ToolCall
from tests.gateway_client import Ended, GatewayClient, RequestRefused, text_of
from tests.sessions.gateway_rows import GatewayRows

STREAM = "[[tokens:2000:20]]"


async def abort(client: GatewayClient, key: str, run: str | None = None) -> list[str]:
    """chat.abort; returns the run ids that it reached."""
    params = {"sessionKey": key} if run is None else {"sessionKey": key, "runId": run}
    answer = await client.request("chat.abort", params)
    assert answer["aborted"] == bool(answer["runIds"])
    found: list[str] = answer["runIds"]
    return found


async def stopped(rows: GatewayRows, ended: Ended) -> None:
    """Checks that the rows know of the stop, and by whom."""
    item = await rows.read(
        lambda alias: InboxItem.objects.using(alias).select_related("run").get(wire_id=ended.run)
    )
    assert item.outcome == "stopped"
    assert "owner" in item.detail
    assert ended.state == "aborted"


async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """While the answer streams: it ends at once, and what was said is kept."""
    run = await client.send(key, STREAM)
    await client.until_streaming(run)
    assert await abort(client, key, run) == [run]
    ended = await client.ended(run)
    await stopped(rows, ended)
    assert ended.text == ended.deltas != ""
    assert ended.payload["stopReason"] == "rpc"
    assert text_of((await client.history(key))[-1]) == ended.text


async def test_while_the_model_thinks(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """Nothing was said yet: the transcript has the question only."""
    run = await client.send(key, "[[hang]]")
    await client.until(lambda event: event["payload"].get("runId") == run)
    assert await abort(client, key, run) == [run]
    await stopped(rows, await client.ended(run))
    assert [row["role"] for row in await client.history(key)] == ["user"]


async def test_while_a_tool_runs(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """The command is killed, its call has a result, and no further request is made."""
    run = await client.send(key, '[[tool:exec {"command":"echo begun; sleep 60"}]]')
    await client.until_tool(run)
    assert await abort(client, key, run) == [run]
    await stopped(rows, await client.ended(run))
    history = await client.history(key)
    assert [row["role"] for row in history] == ["user", "assistant", "toolResult"]
    call = await rows.read(lambda alias: ToolCall.objects.using(alias).get(run__wire_id=run))
    assert call.state == "failed"


async def test_a_message_that_waits(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """It ends at once, and the running turn does not notice."""
    first = await client.send(key, "[[delay:700]] [[echo:first]]")
    await client.until(lambda event: event["payload"].get("runId") == first)
    second = await client.send(key, "second", queueMode="followup")
    assert await abort(client, key, second) == [second]
    await stopped(rows, await client.ended(second))
    assert (await client.ended(first)).text == "first"
    assert [text_of(row) for row in await client.history(key)][1:] == ["first"]


async def test_everything_of_a_session(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """Without a run id the turn ends and so does what waits behind it."""
    running = await client.send(key, STREAM)
    await client.until_streaming(running)
    waiting = [await client.send(key, "more", queueMode=mode) for mode in ("collect", "followup")]
    assert await abort(client, key) == [running, *waiting]
    for run in (running, *waiting):
        await stopped(rows, await client.ended(run))
        assert len(client.ends(run)) == 1
    assert await abort(client, key) == []
    assert (await client.turn(key, "[[echo:still here]]")).text == "still here"


async def test_twice_is_once(client: GatewayClient, key: str) -> None:
    """Two stops at the same moment: one end."""
    run = await client.send(key, STREAM)
    await client.until_streaming(run)
    await asyncio.gather(abort(client, key, run), abort(client, key, run), abort(client, key))
    await client.ended(run)
    await client.turn(key, "next")
    assert len(client.ends(run)) == 1


async def test_nothing_to_stop(client: GatewayClient, key: str) -> None:
    """An unknown session, an ended run, an unknown run."""
    assert await abort(client, key) == []
    ended = await client.turn(key, "hello")
    assert await abort(client, key, ended.run) == []
    assert await abort(client, key, "never-heard-of") == []


async def test_a_run_of_another_session(client: GatewayClient, key: str) -> None:
    """Refused, and it goes on."""
    run = await client.send(key, "[[delay:500]] [[echo:mine]]")
    await client.turn(f"{key}-other", "hello")
    with pytest.raises(RequestRefused, match="runId does not match sessionKey"):
        await abort(client, f"{key}-other", run)
    assert (await client.ended(run)).text == "mine"


async def test_the_partial_answer_is_not_answered_again(
    client: GatewayClient, rows: GatewayRows, key: str
) -> None:
    """The next turn goes on from the stopped one; the model sees what it had said."""
    run = await client.send(key, STREAM)
    await client.until_streaming(run)
    await abort(client, key, run)
    ended = await client.ended(run)
    await client.turn(key, "go on")
    texts = [text_of(row) for row in await client.history(key)]
    assert texts == [STREAM, ended.text, "go on", "ok"]
    found = await rows.read(lambda alias: Run.objects.using(alias).get(wire_id=run))
    assert found.reply == ended.text
