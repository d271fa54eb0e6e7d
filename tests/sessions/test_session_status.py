"""The tools session_status and update_plan in whole turns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from agents.database import run_db
from channels_app.pages.transcript import PlanStep, transcript_shown
from sessions.models import Entry, Person, Session, ToolCall
from sessions.session_status import SESSION_STATUS
from sessions.showing import Showing
from tests.sessions.stage import KEY, Stage


async def ignore(partial: ToolResult) -> None:
    """No listener."""


async def turned(stage: Stage, text: str, **fields: Any) -> str:
    """What a turn answers."""
    engine = stage.engines[0] if stage.engines else await stage.engine()
    accepted = await stage.accept(text, **fields)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    await stage.idle(engine)
    assert item.run is not None
    return item.run.reply


async def asked(principal: Principal, tmp_path: Any, **arguments: Any) -> ToolResult:
    """A call in the owner's session, with the rights of `principal`."""
    context = ToolContext("main", KEY, tmp_path, principal)
    return await SESSION_STATUS.execute("1", arguments, context, AbortSignal(), ignore)


async def test_it_works(stage: Stage) -> None:
    owner = await stage.owner()
    await run_db(lambda: Person.objects.filter(pk=owner.id).update(zone="Asia/Tokyo"))
    card = await turned(stage, "[[tool:session_status {}]]")
    assert "JST (Asia/Tokyo)." in card
    for words in (
        f"Agent main, session {KEY}.",
        "Model openai/scripted",
        "Context 0 of",
        "Verbosity",
        "Tokens so far: 0 in, 0 out; cost $0.0000.",
        "Running since",
        "0 message(s) waiting",
    ):
        assert words in card
    assert await stage.faults() == []


async def test_it_sets_the_model_of_the_session(stage: Stage, tmp_path: Any) -> None:
    await turned(stage, "hello")
    owner = await stage.owner()
    result = await asked(owner, tmp_path, model="openai/scripted")
    assert result.details["model"] == "openai/scripted"
    rows = Session.objects.filter(key=KEY).values_list("model", flat=True)
    assert await run_db(rows.get) == "openai/scripted"
    with pytest.raises(ToolError, match="There is no provider"):
        await asked(owner, tmp_path, model="nobody/scripted")
    assert await run_db(rows.get) == "openai/scripted"
    await asked(owner, tmp_path, model="default")
    assert await run_db(rows.get) == ""


async def test_other_sessions(stage: Stage, tmp_path: Any) -> None:
    """An owner sees all; who is none sees their own, and no trace of others."""
    await turned(stage, "hello")
    ann = await stage.member("ann")
    key = "agent:main:web:ann"
    await turned(stage, "hello", key=key, principal=ann)
    owner = await stage.owner()
    seen = await asked(owner, tmp_path, sessionKey=key)
    assert f"session {key}." in blocks_text(seen.content)
    own = await asked(ann, tmp_path, sessionKey=key)
    assert own.details["sessionKey"] == key
    for hidden in (KEY, "agent:main:nowhere", "current"):
        with pytest.raises(ToolError, match="There is no session"):
            await asked(ann, tmp_path, sessionKey=hidden)
        with pytest.raises(ToolError, match="There is no session"):
            await asked(ann, tmp_path, sessionKey=hidden, model="default")


PLAN = [
    {"step": "read", "status": "completed"},
    {"step": "<b>write</b>", "status": "in_progress"},
]


async def test_a_plan_is_shown_while_the_turn_runs(stage: Stage) -> None:
    call = json.dumps({"plan": PLAN, "explanation": "why"})
    assert await turned(stage, f"[[tool:update_plan {call}]] [[final:done]]") == "done"
    session = await run_db(lambda: Session.objects.get(key=KEY))
    records = await stage.live_records(session.pk)
    (plan,) = [record for record in records if record["t"] == "plan"]
    assert (plan["steps"], plan["explanation"]) == (PLAN, "why")
    stored = await run_db(lambda: ToolCall.objects.get(name="update_plan"))
    assert stored.details["plan"] == PLAN


async def test_a_plan_is_a_checklist_on_the_page(stage: Stage) -> None:
    call = json.dumps({"plan": PLAN})
    await turned(stage, f"[[tool:update_plan {call}]] [[final:done]]")
    entries = await run_db(lambda: list(Entry.objects.order_by("pk")))
    shown = await run_db(lambda: transcript_shown(entries, Showing()))
    (card,) = [card for message in shown for card in message.cards]
    assert card.steps == (PlanStep("completed", "read"), PlanStep("in_progress", "<b>write</b>"))
