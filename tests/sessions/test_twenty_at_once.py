"""Twenty messages at once to one session, in each queue mode."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from sessions.models import InboxItem
from sessions.queueing import MODES
from tests.gateway_client import Ended, GatewayClient, text_of
from tests.sessions.gateway_rows import GatewayRows

COUNT = 20
SLOW = "[[delay:400]]"
TEXTS = [f"<message {number:02d}>" for number in range(COUNT)]


async def send_all(client: GatewayClient, key: str, mode: str) -> list[Ended]:
    """Sends them without waiting for one another, and waits for all ends."""
    texts = [f"{SLOW} {TEXTS[0]}", *TEXTS[1:]]
    sending = (client.send(key, text, queueMode=mode) for text in texts)
    runs = await asyncio.gather(*sending)
    return await asyncio.gather(*(client.ended(run) for run in runs))


async def outcomes(rows: GatewayRows, ended: list[Ended]) -> list[str]:
    """The outcome of each message, in order of sending."""
    wires = [one.run for one in ended]
    found = await rows.read(
        lambda alias: dict(
            InboxItem.objects.using(alias)
            .filter(wire_id__in=wires)
            .values_list("wire_id", "outcome")
        )
    )
    return [found[wire] for wire in wires]


def said(history: list[dict[str, object]]) -> str:
    """Everything that the person said, in the order of the transcript."""
    return "\n".join(text_of(row) for row in history if row["role"] == "user")


@pytest.mark.parametrize("mode", MODES)
async def test_it_works(client: GatewayClient, rows: GatewayRows, key: str, mode: str) -> None:
    """All are in the transcript once, in order, and each has one end under its own run id."""
    ended = await send_all(client, key, mode)
    text = said(await client.history(key, limit=1000))
    assert [text.count(one) for one in TEXTS] == [1] * COUNT
    assert sorted(TEXTS, key=text.index) == TEXTS
    assert [len(client.ends(one.run)) for one in ended] == [1] * COUNT
    counted = Counter(await outcomes(rows, ended))
    assert sum(counted.values()) == COUNT
    assert set(counted) <= EXPECTED[mode]


EXPECTED = {
    "followup": {"answered"},
    "collect": {"answered", "merged"},
    "steer": {"answered", "steered"},
    "interrupt": {"answered", "merged", "stopped"},
}


async def test_followup_answers_each(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """One turn for each message, one after the other."""
    ended = await send_all(client, key, "followup")
    assert [one.state for one in ended] == ["final"] * COUNT
    history = await client.history(key, limit=1000)
    assert [row["role"] for row in history] == ["user", "assistant"] * COUNT


async def test_collect_gathers_what_comes_behind(
    client: GatewayClient, rows: GatewayRows, key: str
) -> None:
    """The running turn goes on, and everything behind it is one question with one answer."""
    first = await client.send(key, f"{SLOW} first", queueMode="collect")
    await client.until(lambda event: event["payload"].get("runId") == first)
    ended = await send_all(client, key, "collect")
    assert await outcomes(rows, ended) == ["answered", *["merged"] * (COUNT - 1)]
    assert {one.payload.get("mergedInto") for one in ended[1:]} == {ended[0].run}
    assert {one.text for one in ended} == {ended[0].text}
    history = await client.history(key)
    assert text_of(history[2]).startswith("[Queued messages while agent was busy]")


async def test_steer_joins_the_running_turn(
    client: GatewayClient, rows: GatewayRows, key: str
) -> None:
    """All are answered by the turn that ran; each stands in the transcript by itself."""
    ended = await send_all(client, key, "steer")
    assert (await outcomes(rows, ended)).count("steered") >= 1
    history = await client.history(key, limit=1000)
    users = [text_of(row) for row in history if row["role"] == "user"]
    assert users == [f"{SLOW} {TEXTS[0]}", *TEXTS[1:]]


async def test_interrupt_answers_in_the_end(
    client: GatewayClient, rows: GatewayRows, key: str
) -> None:
    """What ran was stopped; the rest is one question with one answer."""
    ended = await send_all(client, key, "interrupt")
    found = await outcomes(rows, ended)
    assert found[0] == "stopped"
    assert ended[0].state == "aborted"
    assert ended[-1].state == "final"
    assert found[-1] in ("answered", "merged")
