"""A hook of a plugin wants a call approved."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core.tools import Allow, Deny, Park
from agents.database import run_db
from sessions.models import Approval
from sessions.turns.hook_gate import tool_verdict
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.hook_plugin import Recorder

QUESTION = {"title": "Really?", "description": "It writes.", "severity": "warning"}


async def test_it_works(asking: Asking, recorder: Recorder) -> None:
    """It waits for a person; the words of the hook are what is shown."""
    await run_db(recorder.load)
    recorder.answers(
        before_tool_call={"requireApproval": QUESTION, "params": {"path": "z.txt", "content": "!"}}
    )
    accepted, (approval,) = await asking.parked('[[tool:write {"path":"a","content":"b"}]]')
    # The rule of the tests asks about the same call: there is one question.
    assert approval.reason == "Writing is watched. Really?: It writes."
    assert approval.arguments == {"path": "z.txt", "content": "!"}
    await asking.decide(approval, "allow-once")
    await asking.answered(accepted)
    assert (asking.workspace / "z.txt").read_text() == "!"
    assert await asking.faults() == []


async def test_changed_meanwhile(asking: Asking, recorder: Recorder) -> None:
    """An answer holds only for what was asked about."""
    await run_db(recorder.load)
    recorder.answers(before_tool_call={"params": {"path": "x.txt", "content": "one"}})
    accepted, (approval,) = await asking.parked(write("a.txt"))
    recorder.answers(before_tool_call={"params": {"path": "x.txt", "content": "two"}})
    await asking.decide(approval, "allow-once")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert "not what the person was asked about" in run.reply
    assert not (asking.workspace / "x.txt").exists()


async def test_that_may_run_out(asking: Asking, recorder: Recorder) -> None:
    """timeoutBehavior allow: nobody answers, so the call is made."""
    await run_db(recorder.load)
    wanted = {"timeoutBehavior": "allow", "timeoutMs": 1}
    recorder.answers(before_tool_call={"requireApproval": wanted})
    accepted = await asking.stage.accept('[[tool:read {"path":"gone"}]][[final:was read]]')
    engine = await asking.stage.engine()
    engine.submit(accepted.session_id)

    async def expired() -> bool:
        return await run_db(lambda: Approval.objects.filter(state="expired").exists())

    await asking.stage.until(expired)
    await asking.until_parked(accepted)
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert run.reply == "was read"
    (call,) = await asking.calls()
    assert call.verdict == "allow"


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        ({}, Allow()),
        ({"params": {"a": 1}}, Allow({"a": 1})),
        (
            {"requireApproval": True},
            Park("", reason="A hook asks for approval.", kind="hook"),
        ),
        (
            {"requireApproval": {"title": "T", "timeoutMs": 5, "onResolution": print}},
            Park("", reason="T", kind="hook", facts={"title": "T", "timeoutMs": 5}),
        ),
        (
            {"requireApproval": {"description": "D"}, "params": {"a": 1}},
            Park("", {"a": 1}, reason="D", kind="hook", facts={"description": "D"}),
        ),
        (
            {"requireApproval": {}, "block": True, "blockReason": "no"},
            Deny("Blocked by a hook: no"),
        ),
    ],
)
def test_what_a_result_means(result: dict[str, Any], verdict: Any) -> None:
    """Blocking goes before asking."""
    assert tool_verdict(result) == verdict
