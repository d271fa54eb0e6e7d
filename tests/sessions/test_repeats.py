"""The same message sent again changes nothing."""

from __future__ import annotations

import asyncio

import pytest

from agents.core.errors import NotFound
from agents.database import run_db
from sessions import inbox
from sessions.models import InboundReceipt, InboxItem
from sessions.services import session_delete
from tests.gateway_client import GatewayClient, connected
from tests.platform.gateway import Gateway
from tests.sessions.stage import Stage


async def test_it_works(client: GatewayClient, shared_gateway: Gateway, key: str) -> None:
    """Two sockets send one run id at once: one turn, and both see its end once."""
    fields = {"sessionKey": key, "message": "[[delay:300]] [[echo:once]]"}
    async with connected(shared_gateway.ws_url, shared_gateway.token) as other:
        both = (client, other)
        asking = [one.request("chat.send", {**fields, "idempotencyKey": key}) for one in both]
        answers = await asyncio.gather(*asking)
        assert sorted(answer["status"] for answer in answers) == ["in_flight", "started"]
        for one in both:
            assert (await one.ended(key)).text == "once"
            assert len(one.ends(key)) == 1
    assert len(await client.history(key)) == 2


async def test_after_the_end(client: GatewayClient, key: str) -> None:
    """The answer says how it went; nothing runs again."""
    fields = {"sessionKey": key, "message": "[[echo:once]]", "idempotencyKey": key}
    await client.turn(key, "[[echo:once]]", run=key)
    assert (await client.request("chat.send", fields))["status"] == "ok"
    await client.turn(key, "[[status:401]]", run=f"{key}-failed")
    again = {**fields, "idempotencyKey": f"{key}-failed"}
    assert (await client.request("chat.send", again))["status"] == "error"
    assert len(await client.history(key)) == 4


async def test_many_at_once(stage: Stage) -> None:
    """However many threads store it, one row comes of it."""
    owner = await stage.owner()
    sending = (stage.accept("hello", run_id="same", principal=owner) for _ in range(12))
    accepted = await asyncio.gather(*sending)
    assert len({one.item_id for one in accepted}) == 1
    assert [one.status for one in accepted].count("started") == 1
    counts = await run_db(lambda: (InboxItem.objects.count(), InboundReceipt.objects.count()))
    assert counts == (1, 1)


async def test_a_source_that_gives_it_another_run_id(stage: Stage) -> None:
    """A webhook that is delivered twice is known by its own id."""
    first = await stage.accept("hello", source="hook", source_id="42", run_id="a")
    second = await stage.accept("hello", source="hook", source_id="42", run_id="b")
    assert (second.run_id, second.item_id, second.status) == ("a", first.item_id, "in_flight")
    other = await stage.accept("hello", source="other hook", source_id="42", run_id="c")
    assert other.status == "started"


async def test_after_the_session_was_deleted(stage: Stage) -> None:
    """The receipt stays: the message does not come to life again."""
    owner = await stage.owner()
    key = "agent:main:web:short"
    accepted = await stage.accept("hello", key=key, run_id="gone")
    await run_db(lambda: session_delete(principal=owner, key=key))
    again = await stage.accept("hello", key=key, run_id="gone")
    assert (again.status, again.item_id) == ("ok", 0)
    assert await run_db(lambda: InboxItem.objects.filter(wire_id="gone").count()) == 0
    assert accepted.status == "started"
    assert await stage.faults() == []


async def test_a_session_that_is_deleted_this_very_moment(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is refused as one to a session that is not there."""
    owner = await stage.owner()
    key = "agent:main:web:short"
    await stage.accept("hello", key=key)

    def delete(**_: object) -> list[dict[str, object]]:
        session_delete(principal=owner, key=key)
        return []

    monkeypatch.setattr(inbox, "attachments_store", delete)
    with pytest.raises(NotFound):
        await stage.accept("again", key=key)
    assert await stage.faults() == []


@pytest.mark.parametrize("text", ["hello", "/status", "/new hello"])
async def test_in_another_session(stage: Stage, text: str) -> None:
    """A run id is taken for good, whatever it is sent with."""
    first = await stage.accept(text, run_id="same")
    second = await stage.accept(text, run_id="same", key="agent:main:elsewhere")
    assert (second.session_id, second.item_id) == (first.session_id, first.item_id)
