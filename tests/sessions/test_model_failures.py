"""When the model service fails, the person is told why, once."""

from __future__ import annotations

import pytest

from sessions.models import InboxItem, ModelCall, Run
from tests.gateway_client import GatewayClient, text_of
from tests.model_server.fixture import ModelServer
from tests.sessions.gateway_rows import GatewayRows


async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """A wrong key: named in the end event, in the run, and explained in the ledger."""
    ended = await client.turn(key, "[[status:401]]")
    assert ended.state == "error"
    assert "API key" in ended.payload["errorMessage"]
    item = await rows.read(
        lambda alias: InboxItem.objects.using(alias).select_related("run").get(wire_id=ended.run)
    )
    assert item.outcome == "explained"
    assert item.run is not None
    assert (item.run.outcome, item.run.error_kind) == ("error", "auth")
    assert item.run.error_message == ended.payload["errorMessage"]
    call = await rows.read(lambda alias: ModelCall.objects.using(alias).get(run=item.run))
    assert (call.state, call.http_status, call.error_kind) == ("failed", 401, "auth")


async def test_it_is_seen_later(client: GatewayClient, key: str) -> None:
    """The history shows why there is no answer, and the conversation can go on."""
    await client.turn(key, "[[status:401]]")
    last = (await client.history(key))[-1]
    assert (last["role"], last["stopReason"]) == ("assistant", "error")
    assert "API key" in last["errorMessage"]
    ended = await client.turn(key, "[[echo:better]]", expectedLeafEntryId="")
    assert ended.text == "better"


@pytest.mark.parametrize("status", [500, 503, 529])
async def test_a_fault_that_passes_is_tried_again(
    client: GatewayClient, key: str, model_server: ModelServer, status: int
) -> None:
    """The person notices nothing but a pause."""
    ended = await client.turn(key, f"[[status:{status}:1]] [[echo:there]] {key}")
    assert (ended.state, ended.text) == ("final", "there")
    assert [row["role"] for row in await client.history(key)] == ["user", "assistant"]


async def test_a_fault_that_stays(client: GatewayClient, key: str) -> None:
    """After three tries the person is told."""
    ended = await client.turn(key, "[[status:500]] [[because:the engine is on fire]]")
    assert ended.state == "error"
    assert "500" in ended.payload["errorMessage"] or "fire" in ended.payload["errorMessage"]


async def test_an_answer_that_is_always_cut(client: GatewayClient, key: str) -> None:
    """Each try begins anew; nobody sees two beginnings, and the last one stays shown."""
    ended = await client.turn(key, "[[tokens:50:10]] [[drop:5]]")
    assert ended.state == "error"
    assert ended.deltas.startswith("tok0 tok1")
    assert ended.deltas.count("tok0 ") == 1


async def test_too_long(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """The context overflow has its own kind and says what helps; no session is reset for it."""
    await client.turn(key, "[[echo:kept]]")
    ended = await client.turn(key, "[[overflow]]")
    assert ended.payload["errorKind"] == "context_length"
    history = await client.history(key)
    assert text_of(history[1]) == "kept"
    for told in (ended.payload["errorMessage"], history[-1]["errorMessage"]):
        assert "maximum context length" in told
        assert all(command in told for command in ("/model", "/compact", "/new"))
    run = await rows.read(lambda alias: Run.objects.using(alias).get(wire_id=ended.run))
    assert run.error_kind == "context_overflow"


async def test_words_of_an_error_are_no_error(client: GatewayClient, key: str) -> None:
    """Errors are typed; nobody matches what people or models write."""
    words = "Context overflow: prompt too large for the model."
    assert (await client.turn(key, words)).state == "final"
    ended = await client.turn(key, f"[[echo:{words} rate_limit HEARTBEAT_OK NO_REPLY]]")
    assert ended.text == f"{words} rate_limit HEARTBEAT_OK NO_REPLY"


async def test_an_unknown_provider(client: GatewayClient, key: str) -> None:
    """The message is taken, and its end says what is wrong with the choice."""
    ended = await client.turn(key, "hello", model="nobody/nothing")
    assert ended.state == "error"
    assert "nobody" in ended.payload["errorMessage"]
    last = (await client.history(key))[-1]
    assert last["errorMessage"] == ended.payload["errorMessage"]
    assert (await client.turn(key, "[[echo:better]]")).text == "better"


async def test_a_failure_behind_a_tool(client: GatewayClient, key: str) -> None:
    """The call and its result stay in the transcript."""
    text = '[[tool:exec {"command":"echo hi"}]] [[tokens:50:5]] [[drop:5]]'
    ended = await client.turn(key, text)
    history = await client.history(key)
    assert ended.state == "error"
    assert [row["role"] for row in history] == ["user", "assistant", "toolResult", "assistant"]
    assert "errorMessage" in history[-1]
