"""The tool policy in a whole turn: what the model is offered, and what it is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson

from agents.config.services import config_apply
from agents.core.messages import ToolCall as Call
from agents.core.tools import Allow, Deny, ToolContext
from agents.database import run_db
from sessions.models import Run, ToolCall
from tests.sessions.stage import Stage, text_of
from tools.gate import PolicyGate
from tools.policy_turns import policy_decide, policy_fetch


async def apply(**keys: Any) -> None:
    """Applies a document with these sections."""
    await run_db(lambda: config_apply(text=orjson.dumps(keys)))


async def answer_of(stage: Stage, text: str, **fields: Any) -> str:
    """The result of the one tool call of a turn."""
    engine = await stage.engine()
    accepted = await stage.accept(text, **fields)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.outcome == "answered"
    calls = ToolCall.objects.filter(run=item.run)
    return text_of((await run_db(calls.get)).result or {})


async def test_it_works(stage: Stage) -> None:
    """A tool that the agent may not use is not there, and the model is told by which rule."""
    await apply(agents={"main": {"tools": {"deny": ["exec"]}}})
    said = await answer_of(stage, '[[tool:exec {"command":"id"}]] [[final:no]]')
    assert said == (
        "There is no tool 'exec' in this turn. Denied by the rule 'tool policy', "
        "layer 5 (agent), for 'exec': agents.list.main.tools.deny: exec."
    )


async def test_what_is_left_still_works(stage: Stage) -> None:
    await apply(tools={"allow": ["*", "!exec"]})
    said = await answer_of(stage, '[[tool:write {"path":"a","content":"b"}]] [[final:ok]]')
    assert said.endswith("a (1 bytes).")


async def test_senders_have_tools_of_their_own(stage: Stage) -> None:
    member = await stage.member("Bo")
    await apply(tools={"toolsBySender": {"name:bo": {"allow": ["read"]}}})
    text = '[[tool:write {"path":"a","content":"b"}]] [[final:no]]'
    key = "agent:main:web:01bo"
    said = await answer_of(stage, text, key=key, principal=member)
    assert 'tools.toolsBySender["name:bo"].allow does not name it' in said
    assert (await answer_of(stage, text)).endswith("a (1 bytes).")


async def test_a_rule_that_comes_while_a_turn_runs_holds(stage: Stage) -> None:
    context = ToolContext("main", "agent:main:main", Path("/tmp"), await stage.owner())
    gate, call = PolicyGate(), Call("1", "exec")
    assert await gate.judge([call], context) == [Allow()]
    await apply(tools={"deny": ["group:runtime"]})
    (denied,) = await gate.judge([call], context)
    assert isinstance(denied, Deny)
    assert "layer 3 (global), for 'exec': tools.deny: group:runtime" in denied.reason


async def test_asking_again_reads_nothing(stage: Stage) -> None:
    context = ToolContext("main", "agent:main:main", Path("/tmp"), await stage.owner())
    await policy_fetch(context)
    # On the event loop any query would raise.
    assert asyncio.get_running_loop().is_running()
    assert policy_decide(context) is policy_decide(context)
    assert "exec" in policy_decide(context).kept


async def test_nothing_is_allowed_before_the_rules_were_read(stage: Stage) -> None:
    context = ToolContext("main", "agent:main:new:group:1", Path("/tmp"), await stage.owner())
    assert policy_decide(context).kept == ()
    await policy_fetch(context)
    assert "read" in policy_decide(context).kept


async def test_the_model_of_the_turn_counts(stage: Stage) -> None:
    said = await answer_of(stage, '[[tool:exec {"command":"echo hi"}]] [[final:ok]]')
    assert "hi" in said
    run = await run_db(Run.objects.latest, "started_at")
    await apply(tools={"byProvider": {run.provider: {"profile": "minimal"}}})
    said = await answer_of(stage, '[[tool:exec {"command":"echo hi"}]] [[final:no]]')
    assert "layer 2 (provider profile)" in said
