"""More messages wait than the queue holds."""

from __future__ import annotations

import orjson
import pytest

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import InboxItem
from tests.sessions.stage import Stage

CAP = 3


async def configure(drop: str, mode: str = "collect") -> None:
    """Sets the queue's rules."""
    queue = {"mode": mode, "cap": CAP, "drop": drop, "debounceMs": 0}
    text = orjson.dumps({"messages": {"queue": queue}}).decode()
    await run_db(lambda: config_apply(text=text, author="test"))


async def worked_off(stage: Stage, count: int = 5) -> list[InboxItem]:
    """So many messages wait; all are worked off. Returns them as they ended."""
    waiting = [await stage.accept(f"<{number}>") for number in range(count)]
    engine = await stage.engine()
    engine.submit(waiting[0].session_id)
    ended = [await stage.ended(one) for one in waiting]
    await stage.idle(engine)
    assert await stage.faults() == []
    return ended


def outcomes(items: list[InboxItem]) -> list[str]:
    """Their outcomes in order."""
    return [item.outcome for item in items]


async def test_it_works(stage: Stage) -> None:
    """The oldest become a summary line of the next prompt; their full text is kept."""
    await configure("summarize")
    items = await worked_off(stage)
    assert outcomes(items) == ["summarised", "summarised", "answered", "merged", "merged"]
    ((_, prompt), (_, answer)) = await stage.entries()
    assert "[Queue overflow] 2 earlier messages were summarised." in prompt
    places = [prompt.index(f"<{number}>") for number in range(5)]
    assert places == sorted(places)
    assert answer == "ok"
    assert [item.text for item in items] == [f"<{number}>" for number in range(5)]
    assert {item.run_id for item in items} == {items[0].run_id}


async def test_followup_summarises_too(stage: Stage) -> None:
    """The surplus goes into the first turn; each of the others has its own."""
    await configure("summarize", "followup")
    items = await worked_off(stage)
    assert outcomes(items) == ["summarised", "summarised", "answered", "answered", "answered"]
    assert len({item.run_id for item in items}) == 3


@pytest.mark.parametrize(("drop", "refused"), [("old", {0, 1}), ("new", {3, 4})])
async def test_refused(stage: Stage, drop: str, refused: set[int]) -> None:
    """Old or new ones are refused with a reason; the others are answered."""
    await configure(drop)
    items = await worked_off(stage)
    found = {number for number, item in enumerate(items) if item.outcome == "refused"}
    assert found == refused
    assert all("more messages" in items[number].detail.lower() for number in refused)
    prompt = (await stage.entries())[0][1]
    assert [f"<{number}>" in prompt for number in range(5)] == [
        number not in refused for number in range(5)
    ]


async def test_whoever_is_refused_is_told_at_once(stage: Stage) -> None:
    """Exactly one end for each run id, in the live record."""
    await configure("old")
    items = await worked_off(stage)
    records = await stage.live_records(items[0].session_id)
    ends = [wire["id"] for record in records for wire in record.get("wires", ()) if ends_(record)]
    assert sorted(ends) == sorted(item.wire_id for item in items)
    refused = [record for record in records if record.get("errorKind") == "refused"]
    assert [record["wire"] for record in refused] == [item.wire_id for item in items[:2]]


def ends_(record: dict[str, object]) -> bool:
    """Whether it is the end of a run."""
    return record["t"] == "run.end"


async def test_nobody_reads_the_messages_of_others(stage: Stage) -> None:
    """A summary holds only what the same person wrote; the others wait for their own turn."""
    await configure("summarize")
    member = await stage.member("Bob")
    key = "agent:main:web:shared"
    theirs = [await stage.accept(f"<bob {n}>", key=key, principal=member) for n in range(3)]
    mine = [await stage.accept(f"<own {n}>", key=key) for n in range(3)]
    engine = await stage.engine()
    engine.submit(mine[0].session_id)
    for one in (*mine, *theirs):
        assert (await stage.ended(one)).outcome in ("answered", "merged", "summarised")
    texts = [text for role, text in await stage.entries(key) if role == "user"]
    assert not [text for text in texts if "bob" in text and "own" in text]
    assert "".join(texts).count("<bob") == "".join(texts).count("<own") == 3
    await stage.idle(engine)
    assert await stage.faults() == []
