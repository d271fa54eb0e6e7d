"""A message through the whole stack: what the client sees, and the rows that prove it."""

from __future__ import annotations

import asyncio
from typing import Any

from django.db.models import Model

from sessions.models import (
    Delivery,
    Entry,
    InboundReceipt,
    InboxItem,
    ModelCall,
    Run,
    Session,
    ToolCall,
)
from tests.gateway_client import GatewayClient, text_of
from tests.platform.gateway import Gateway
from tests.sessions.gateway_rows import GatewayRows

MESSAGE = '[[tool:exec {"command":"echo from the tool"}]] [[usage:120:7]]'


async def one(rows: GatewayRows, model: type[Model], **where: Any) -> Any:
    """The only row that fits."""
    return await rows.read(lambda alias: model._default_manager.using(alias).get(**where))


async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """A tool call, an answer, and every account of it."""
    ended = await client.turn(key, MESSAGE)
    assert (ended.state, ended.text) == ("final", "tool said: from the tool")
    assert ended.deltas == ended.text
    item = await one(rows, InboxItem, wire_id=ended.run)
    assert (item.outcome, item.text) == ("answered", MESSAGE)
    receipt = await one(rows, InboundReceipt, pk=item.receipt_id)
    assert receipt.source_id == ended.run
    run = await one(rows, Run, pk=item.run_id)
    assert (run.state, run.outcome, run.reply) == ("ended", "final", ended.text)
    assert (run.input_tokens, run.output_tokens) == (240, 14)
    delivery = await one(rows, Delivery, item=item)
    assert (delivery.state, delivery.receipt) == ("sent", f"entry:{ended.payload['entryId']}")


async def test_each_call_is_recorded(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """Two requests to the model and the tool between them, with results and times."""
    ended = await client.turn(key, MESSAGE)
    run = await one(rows, Run, wire_id=ended.run)
    calls = await rows.read(
        lambda alias: list(ModelCall.objects.using(alias).filter(run=run).order_by("number"))
    )
    assert [(call.number, call.state, call.stop_reason) for call in calls] == [
        (1, "done", "toolUse"),
        (2, "done", "stop"),
    ]
    assert [(call.first_seq, call.last_seq) for call in calls] == [(1, 1), (1, 3)]
    assert {call.prompt_id for call in calls} == {calls[0].prompt_id}
    assert all(call.ended_at and call.started_at <= call.ended_at for call in calls)
    tool = await one(rows, ToolCall, run=run)
    assert (tool.name, tool.state, tool.arguments) == (
        "exec",
        "done",
        {"command": "echo from the tool"},
    )
    assert text_of(tool.result) == "from the tool"
    assert tool.started_at <= tool.ended_at


async def test_the_transcript_is_a_chain(
    client: GatewayClient, rows: GatewayRows, key: str
) -> None:
    """Entries are numbered from one without a gap, and each names the one before."""
    await client.turn(key, MESSAGE)
    await client.turn(key, "and again")
    session = await one(rows, Session, key=key)
    entries = await rows.read(
        lambda alias: list(Entry.objects.using(alias).filter(transcript_id=session.current_id))
    )
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert [entry.parent_id for entry in entries[1:]] == [e.entry_id for e in entries[:-1]]
    assert [entry.role for entry in entries] == [
        *("user", "assistant", "toolResult", "assistant"),
        *("user", "assistant"),
    ]
    assert (session.input_tokens, session.output_tokens) > (240, 14)


async def test_the_client_is_told_in_order(client: GatewayClient, key: str) -> None:
    """Start, tool, deltas, end; numbers rise by one."""
    ended = await client.turn(key, MESSAGE)
    mine = [
        event
        for event in client.events
        if event["event"] == "agent" and event["payload"]["runId"] == ended.run
    ]
    streams = [event["payload"]["stream"] for event in mine]
    assert streams[0] == "lifecycle"
    assert streams.index("tool") < streams.index("assistant")
    assert mine[-1]["payload"]["data"]["phase"] == "end"
    assert len(client.ends(ended.run)) == 1
    seqs = [event["seq"] for event in client.events if "seq" in event]
    assert seqs == list(range(1, len(seqs) + 1))


async def test_the_next_turn_knows_the_last_one(client: GatewayClient, key: str) -> None:
    """The conversation is sent again, so that the model can refer to it."""
    await client.turn(key, "[[echo:my name is Ann]]")
    ended = await client.turn(key, "[[overflow:1]]")
    assert ended.state == "error", "the history is longer than a character"
    rows = await client.history(key)
    assert [text_of(row) for row in rows[:2]] == ["[[echo:my name is Ann]]", "my name is Ann"]


async def test_sessions_run_side_by_side(client: GatewayClient, key: str) -> None:
    """Two sessions do not wait for each other."""
    slow = await client.send(f"{key}-slow", "[[delay:1500]] [[echo:slow]]")
    fast = await client.turn(f"{key}-fast", "[[echo:fast]]")
    assert fast.text == "fast"
    assert client.ends(slow) == []
    assert (await client.ended(slow)).text == "slow"


async def test_the_ledger_balances(client: GatewayClient, shared_gateway: Gateway) -> None:
    """Whatever was done to this gateway, every account is settled in the end."""
    output = await asyncio.to_thread(shared_gateway.manage, "ledger", "check")
    assert output.endswith("clean\n")
