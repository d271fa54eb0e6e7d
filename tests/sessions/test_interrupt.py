"""A message that ends the turn that runs and takes its place."""

from __future__ import annotations

from sessions.models import InboxItem
from tests.gateway_client import GatewayClient, text_of
from tests.sessions.gateway_rows import GatewayRows


async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """What was said is kept, and the new message is answered."""
    run = await client.send(key, "[[tokens:2000:20]]")
    await client.until_streaming(run)
    ended = await client.turn(key, "[[echo:instead]]", queueMode="interrupt")
    cut = await client.ended(run)
    assert (cut.state, cut.payload["stopReason"]) == ("aborted", "interrupt")
    assert cut.text == cut.deltas != ""
    assert ended.text == "instead"
    texts = [text_of(row) for row in await client.history(key)]
    assert texts == ["[[tokens:2000:20]]", cut.text, "[[echo:instead]]", "instead"]
    item = await rows.read(lambda alias: InboxItem.objects.using(alias).get(wire_id=run))
    assert (item.outcome, item.detail) == ("stopped", ended.run)


async def test_it_takes_along_what_waits(client: GatewayClient, key: str) -> None:
    """Waiting messages and the interrupting one are one question, in order."""
    run = await client.send(key, "[[tokens:2000:20]]")
    await client.until_streaming(run)
    waiting = await client.send(key, "first", queueMode="collect")
    ended = await client.turn(key, "second", queueMode="interrupt")
    assert (await client.ended(waiting)).payload.get("mergedInto", waiting) in (waiting, ended.run)
    text = text_of((await client.history(key))[2])
    assert 0 < text.index("first") < text.index("second")


async def test_a_tool_is_ended(client: GatewayClient, key: str) -> None:
    """A running command does not hold up the new message."""
    run = await client.send(key, '[[tool:exec {"command":"sleep 60"}]]')
    await client.until_tool(run)
    assert (await client.turn(key, "[[echo:now]]", queueMode="interrupt")).text == "now"
    assert (await client.ended(run)).state == "aborted"
    roles = [row["role"] for row in await client.history(key)]
    assert roles == ["user", "assistant", "toolResult", "user", "assistant"]


async def test_nothing_runs(client: GatewayClient, key: str) -> None:
    """Then it is an ordinary message."""
    assert (await client.turn(key, "[[echo:hi]]", queueMode="interrupt")).text == "hi"
