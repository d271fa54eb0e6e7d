"""What clients are told of a turn: reasoning, results of tools, the trace line."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from agents.database import run_db
from sessions.models import Entry, Run
from sessions.showing import Showing, reasoning_left_out, result_summary, showing_of, trace_line
from tests.sessions.models_stage import configure
from tests.sessions.stage import KEY, Stage

THINKS = "[[think:SECRET plan]] [[echo:hello]]"
TAGGED = "[[echo:<think>SECRET plan</think>\n\nhello]]"


async def records(stage: Stage, *texts: str) -> list[dict[str, Any]]:
    """The live records after the last of these messages was answered."""
    engine = stage.engines[-1] if stage.engines else await stage.engine()
    accepted = None
    for text in texts:
        accepted = await stage.accept(text)
        if not accepted.reply:
            engine.submit(accepted.session_id)
            assert (await stage.ended(accepted)).outcome == "answered"
    assert accepted is not None
    await stage.idle(engine)
    return await stage.live_records(accepted.session_id)


def of_kind(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in found if record["t"] == kind]


async def stored_reasoning() -> list[str]:
    """Every thinking block of the stored transcript."""
    bodies = await run_db(
        lambda: list(Entry.objects.filter(role="assistant").values_list("body", flat=True))
    )
    return [b["thinking"] for body in bodies for b in body["content"] if b["type"] == "thinking"]


@pytest.mark.parametrize("message", [THINKS, TAGGED])
async def test_it_works(stage: Stage, message: str) -> None:
    """Off: nobody is sent a word of the reasoning, the run page's rows keep it."""
    await configure()
    found = await records(stage, message)
    told = [record for record in found if (record.get("entry") or {}).get("role") != "user"]
    assert b"SECRET" not in orjson.dumps(of_kind(told, "text") + of_kind(told, "entry"))
    assert of_kind(found, "thinking") == []
    assert of_kind(found, "run.end")[0]["text"] == "hello"
    assert b"SECRET" not in orjson.dumps(of_kind(found, "run.end"))
    assert await stored_reasoning() == ["SECRET plan"]
    run = await run_db(Run.objects.get)
    assert run.reply == "hello"


@pytest.mark.parametrize("message", [THINKS, TAGGED])
async def test_reasoning_on(stage: Stage, message: str) -> None:
    """It comes with the finished answer."""
    await configure()
    found = await records(stage, "/reasoning on", message)
    assert of_kind(found, "thinking") == []
    assert of_kind(found, "run.end")[-1]["reasoning"] == "SECRET plan"
    answer = of_kind(found, "entry")[-1]["entry"]["message"]
    assert answer["content"][0]["thinking"] == "SECRET plan"


@pytest.mark.parametrize("message", [THINKS, TAGGED])
async def test_reasoning_stream(stage: Stage, message: str) -> None:
    """It comes while it is thought, from the agent's setting as well."""
    await configure({"reasoningDefault": "stream"}, reasoningDefault="off")
    found = await records(stage, message)
    assert "".join(record["d"] for record in of_kind(found, "thinking")).strip() == "SECRET plan"
    assert "".join(record["d"] for record in of_kind(found, "text")) == "hello"
    found = await records(stage, "/reasoning off", "[[think:QUIET]]")
    assert b"QUIET" not in orjson.dumps(of_kind(found, "thinking") + of_kind(found, "run.end"))


async def test_reasoning_of_one_message(stage: Stage) -> None:
    await configure()
    found = await records(stage, f"/reasoning stream {THINKS}", "[[think:QUIET]]")
    assert "".join(record["d"] for record in of_kind(found, "thinking")) == "SECRET plan"


async def test_tags_in_code_are_kept(stage: Stage) -> None:
    await configure()
    text = "Use `<think>`:\n```\n<think>x</think>\n```"
    found = await records(stage, f"[[echo:{text}]]")
    assert of_kind(found, "run.end")[0]["text"] == text
    assert await stored_reasoning() == []


async def test_what_a_person_writes_changes_nothing(stage: Stage) -> None:
    """Tags in a message are the person's own words."""
    await configure()
    await records(stage, "what is <think>this</think>? <final>")
    assert (await stage.entries())[0] == ("user", "what is <think>this</think>? <final>")


@pytest.mark.parametrize("level", ["off", "on", "full"])
async def test_results_of_tools_say_their_level(stage: Stage, level: str) -> None:
    await configure(verboseDefault=level)
    found = await records(stage, '[[tool:exec {"command": "echo out"}]]')
    (ended,) = of_kind(found, "tool.end")
    assert ended["verbose"] == level


async def test_trace(stage: Stage) -> None:
    """The footer names run, model, credential, tokens and time; the transcript has none of it."""
    await configure()
    found = await records(stage, "/trace on", "[[echo:hello]] [[usage:12:3]]")
    end = of_kind(found, "run.end")[-1]
    trace = end["trace"]
    run = await run_db(Run.objects.get)
    assert (trace["runId"], trace["model"], trace["inputTokens"]) == (run.pk, "scripted", 12)
    assert end["traceLine"].startswith(f"run {run.pk} · openai/scripted · env:openai · 12 in, 3 ou")
    assert (await stage.entries(KEY))[-1] == ("assistant", "hello")
    assert run.reply == "hello"


def test_levels_by_their_place() -> None:
    session = Showing("on", "", "")
    settings = {"verboseDefault": "full", "reasoningDefault": "stream"}
    assert showing_of(session, settings=settings) == Showing("on", "stream", "off")
    options = {"verbose": "off", "trace": "on"}
    assert showing_of(session, settings={}, options=options) == Showing("off", "off", "on")
    assert showing_of(None, settings={"verboseDefault": "loud"}) == Showing()


def test_small_parts() -> None:
    user = {"role": "user", "content": [{"type": "thinking", "thinking": "x"}]}
    assert reasoning_left_out(user) is user
    assert result_summary(None) == ""
    assert len(result_summary({"content": [{"type": "text", "text": "word " * 99}]})) == 120
    facts = {"runId": "r", "provider": "p", "model": "m", "profile": "", "inputTokens": 1200}
    line = trace_line({**facts, "outputTokens": 3, "cost": 0.5, "ms": 1500})
    assert line == "run r · p/m · 1,200 in, 3 out · $0.5000 · 1.5 s"
