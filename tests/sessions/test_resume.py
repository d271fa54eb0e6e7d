"""A turn whose worker died goes on from its last committed entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.core.messages import AssistantMessage, Text, ToolCall
from agents.database import run_db
from sessions.inbox import Accepted
from sessions.models import Run
from sessions.models import ToolCall as CallRow
from sessions.turns.begin import turn_begin
from sessions.turns.steering import steering_take
from sessions.turns.turn import Turn
from sessions.turns.writes import batch_commit, tool_result_store
from tests.sessions.stage import Stage

ROLES = ["user", "assistant", "toolResult", "assistant"]


async def abandoned(stage: Stage, text: str, **fields: Any) -> tuple[Accepted, Turn]:
    """A message that a worker took before it died."""
    accepted = await stage.accept(text, **fields)
    turn = await run_db(turn_begin, accepted.session_id, "dead")
    assert turn is not None
    return accepted, turn


async def asked_for(turn: Turn, *calls: ToolCall, repeatable: Sequence[str] = ()) -> None:
    """The dead worker's last deed: the model asked for tools, and they were started."""
    answer = AssistantMessage(content=calls, stop_reason="toolUse", provider="openai")
    rows = [
        {
            "call_id": call.id,
            "name": call.name,
            "arguments": dict(call.arguments),
            "repeatable": call.name in repeatable,
            "verdict": "allow",
            "state": CallRow.State.STARTED,
        }
        for call in calls
    ]
    await run_db(batch_commit, turn, answer=answer, calls=rows, call={}, number=1)


async def resumed(stage: Stage, accepted: Accepted) -> Run:
    """The run as another worker has ended it."""
    engine = await stage.engine()
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    await stage.idle(engine)
    assert await stage.faults() == []
    return run


async def test_it_works(stage: Stage) -> None:
    """Killed before the model was asked: it is asked, and the person has one answer."""
    accepted, turn = await abandoned(stage, "[[echo:here I am]]")
    run = await resumed(stage, accepted)
    assert (run.pk, run.outcome, run.reply) == (turn.run.pk, "final", "here I am")
    assert run.resumptions == 1
    assert await stage.entries() == [("user", "[[echo:here I am]]"), ("assistant", "here I am")]


async def test_a_started_tool_is_not_run_twice(stage: Stage) -> None:
    """What ran may have done something: the model is told that the outcome is unknown."""
    accepted, turn = await abandoned(stage, '[[tool:exec {"command":"date"}]]')
    await asked_for(turn, ToolCall("c1", "exec", {"command": "date"}))
    run = await resumed(stage, accepted)
    entries = await stage.entries()
    assert [role for role, _ in entries] == ROLES
    assert entries[2][1].startswith("Interrupted: the worker stopped while this tool ran")
    row = await run_db(lambda: CallRow.objects.get(run=run))
    assert row.state == CallRow.State.INTERRUPTED


async def test_a_repeatable_tool_is_run_again(stage: Stage) -> None:
    """Reading twice does no harm."""
    accepted, turn = await abandoned(stage, '[[tool:read {"path":"note.txt"}]]')
    assert turn.snapshot is not None
    (turn.snapshot.workspace / "note.txt").write_text("remember")
    await asked_for(turn, ToolCall("c1", "read", {"path": "note.txt"}), repeatable=["read"])
    run = await resumed(stage, accepted)
    assert run.reply == "tool said: remember"
    row = await run_db(lambda: CallRow.objects.get(run=run))
    assert row.state == CallRow.State.DONE


async def test_known_results_are_kept(stage: Stage) -> None:
    """Of two calls one had its result stored; only that of the other is unknown."""
    accepted, turn = await abandoned(stage, "[[echo:both seen]]")
    calls = [ToolCall(name, "exec", {"command": name}) for name in ("c1", "c2")]
    await asked_for(turn, *calls)
    result = {"content": [{"type": "text", "text": "first"}], "isError": False}
    changes = {"state": CallRow.State.DONE, "result": result}
    await run_db(tool_result_store, turn, call_id="c1", changes=changes)
    await resumed(stage, accepted)
    results = [text for role, text in await stage.entries() if role == "toolResult"]
    assert results[0] == "first"
    assert results[1].startswith("Interrupted")


async def test_given_up_after_three_resumptions(stage: Stage) -> None:
    """The person gets one explanation, and no tool call stays without a result."""
    accepted, turn = await abandoned(stage, "[[echo:never]]")
    await asked_for(turn, ToolCall("c1", "exec", {}), ToolCall("c2", "read", {}))
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(resumptions=3))
    run = await resumed(stage, accepted)
    assert run.outcome == "error"
    assert run.error_message == "The turn was interrupted 4 times and was given up."
    roles = [role for role, _ in await stage.entries()]
    assert roles == ["user", "assistant", "toolResult", "toolResult", "assistant"]


async def test_given_up_keeps_known_results(stage: Stage) -> None:
    """What a tool has answered is in the transcript even of a turn that is given up."""
    accepted, turn = await abandoned(stage, "[[echo:never]]")
    await asked_for(turn, ToolCall("c1", "exec", {}))
    result = {"content": [{"type": "text", "text": "kept"}], "isError": False}
    changes = {"state": CallRow.State.DONE, "result": result}
    await run_db(tool_result_store, turn, call_id="c1", changes=changes)
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(resumptions=3))
    await resumed(stage, accepted)
    assert ("toolResult", "kept") in await stage.entries()


async def test_behind_a_steered_message(stage: Stage) -> None:
    """The first answer was stored together with what came behind it: both are answered."""
    accepted, turn = await abandoned(stage, "[[echo:one]]")
    steered = await stage.accept("[[echo:two]]", queue_mode="steer")
    answer = AssistantMessage(content=(Text("one"),), provider="openai")
    await run_db(lambda: steering_take(turn, held=answer, call={}, number=1))
    run = await resumed(stage, accepted)
    assert run.reply == "one\n\ntwo"
    assert (await stage.item(steered)).outcome == "steered"
    assert [role for role, _ in await stage.entries()] == ["user", "assistant"] * 2
    started, *_, ended = await stage.live_records(accepted.session_id)
    shown = [record["text"] for record in (started, ended) if "text" in record]
    assert shown[-1] == run.reply


async def test_call_ids_may_come_again(stage: Stage) -> None:
    """Some services number the calls of each answer from one; results are not mixed up."""
    text = '[[tool:exec {"command":"echo one"}]] [[tool:exec {"command":"echo two"}]]'
    # The id that the model server gave to its latest call; it will count on.
    probe = await stage.accept('[[tool:exec {"command":"true"}]]', key="agent:main:probe")
    engine = await stage.engine("w0")
    engine.submit(probe.session_id)
    run = (await stage.ended(probe)).run
    number = await run_db(lambda: CallRow.objects.get(run=run).call_id)
    again = f"call_{int(number.removeprefix('call_')) + 3:06d}"
    accepted, turn = await abandoned(stage, text)
    await asked_for(turn, ToolCall(again, "exec", {"command": "echo one"}))
    engine.submit(accepted.session_id)
    ended = (await stage.ended(accepted)).run
    states = await run_db(lambda: list(CallRow.objects.filter(run=ended).values_list("call_id")))
    assert states == [(again,), (again,)]
    await stage.idle(engine)
    assert await stage.faults() == []


async def test_options_survive(stage: Stage) -> None:
    """A turn with its own time limit keeps it; the limit starts anew."""
    accepted, _ = await abandoned(stage, "[[hang]]", options={"timeoutMs": 200})
    run = await resumed(stage, accepted)
    assert (run.outcome, run.stop_reason) == ("aborted", "timeout")


async def test_a_stop_meanwhile_counts(stage: Stage) -> None:
    """Stopped while nobody worked on it: it ends without asking the model."""
    accepted, turn = await abandoned(stage, "[[echo:never]]")
    stop = {"stop_kind": "rpc", "stop_by": "ann"}
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(**stop))
    run = await resumed(stage, accepted)
    assert (run.outcome, run.reply) == ("aborted", "")
    assert (await stage.item(accepted)).detail == "ann"
