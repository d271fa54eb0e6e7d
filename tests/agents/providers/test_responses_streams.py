"""Responses over both transports: ordinary answers and streams that should not be."""

from __future__ import annotations

import asyncio

import pytest

from agents.core.abort import AbortSignal
from agents.core.messages import (
    AssistantMessage,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import Failed, Start, TextDelta
from agents.providers.registry import ClientPool
from tests.agents.providers.harness import Harness
from tests.agents.providers.responses_harness import TRANSPORTS, responses_model
from tests.model_server.fixture import ModelServer

pytestmark = pytest.mark.exhaustive

PIXEL = "iVBORw0KGgoAAAANSUhEUg=="
EMOJI_CALLS = [("read", {"path": "café 😀.txt"}), ("read", {"path": "b.txt"})]


@pytest.fixture(params=TRANSPORTS)
def llm(request: pytest.FixtureRequest, pool: ClientPool, model_server: ModelServer) -> Harness:
    """The model over each transport in turn."""
    model_server.reset()
    return Harness(responses_model(model_server, request.param), pool, model_server)


async def test_it_works(llm: Harness) -> None:
    outcome = await llm.call("[[echo:Hello you]]")
    assert [block.text for block in outcome.done.content if isinstance(block, Text)] == [
        "Hello you"
    ]
    assert outcome.streamed == "Hello you"
    assert isinstance(outcome.events[0], Start)
    assert outcome.done.stop_reason == "stop"
    assert outcome.done.response_id
    assert outcome.done.response_model is None


async def test_tool_call_and_its_result(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a.txt"}]]')
    asked = await llm.call(question)
    (call,) = asked.calls
    assert (call.name, call.arguments) == ("read", {"path": "a.txt"})
    assert asked.done.stop_reason == "toolUse"
    told = ToolResultMessage(call.id, call.name, (Text("forty-two"),))
    assert (await llm.call(question, asked.done, told)).done.text == "tool said: forty-two"


async def test_parallel_calls_keep_their_order(llm: Harness) -> None:
    question = UserMessage('[[tool:read {"path": "a"}]] [[tool:write {"path": "b"}]] [[parallel]]')
    asked = await llm.call(question)
    assert [call.name for call in asked.calls] == ["read", "write"]
    results = [ToolResultMessage(c.id, c.name, (Text(c.name),)) for c in asked.calls]
    told = await llm.call(question, asked.done, *results)
    assert told.done.text == "tool said: write"


async def test_images_arrive(llm: Harness) -> None:
    picture = UserMessage((Text("look"), Image(PIXEL, "image/png")))
    assert (await llm.call(picture)).done.text == "ok"
    assert PIXEL in str(llm.last_body())
    call = ToolCall("call_1|fc_1", "read", {"path": "a.png"})
    said = AssistantMessage((call,), stop_reason="toolUse")
    result = ToolResultMessage(call.id, "read", (Image(PIXEL, "image/png"),))
    await llm.call("look", said, result)
    (output,) = [i for i in llm.last_body()["input"] if i["type"] == "function_call_output"]
    assert output["output"][0]["type"] == "input_image"


async def test_thinking_is_kept_apart_and_replayed_whole(llm: Harness) -> None:
    question = UserMessage("[[think:First I ponder.]] [[echo:Done.]]")
    outcome = await llm.call(question, thinking="high")
    assert outcome.thought == "First I ponder."
    thought, said = outcome.done.content
    assert isinstance(thought, Thinking)
    assert isinstance(said, Text)
    await llm.call(question, outcome.done, "and now?", thinking="high")
    reasoning, message = llm.last_body()["input"][1:3]
    assert reasoning["type"] == "reasoning"
    assert reasoning["encrypted_content"] == "ZW5jcnlwdGVk"
    assert reasoning["summary"] == [{"type": "summary_text", "text": "First I ponder."}]
    assert message["id"].startswith("msg_")
    assert message["phase"] == "final_answer"


@pytest.mark.parametrize(
    "case", ["empty_choices", "usage_last", "usage_every", "keepalive", "no_finish_text"]
)
async def test_text_is_whole(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.done.text == "ok then"
    assert outcome.done.stop_reason == "stop"


async def test_usage(llm: Harness) -> None:
    usage = (await llm.call("[[odd:usage_last]]")).done.usage
    assert (usage.input, usage.output, usage.estimated) == (30, 5, False)
    for case in ("usage_null", "usage_missing"):
        assert (await llm.call(f"[[odd:{case}]]")).done.usage.estimated


async def test_characters_cut_in_two_deltas_are_joined(llm: Harness) -> None:
    outcome = await llm.call("[[odd:text_surrogates]]")
    assert outcome.done.text == outcome.streamed == "ok 😀 then"


@pytest.mark.parametrize(
    "case",
    [
        "one_index", "no_index", "bare", "id_once", "pieces", "raw_surrogates", "glued",
        "glued_one_name", "no_finish", "no_finish_close", "listed", "other_types",
    ],
)  # fmt: skip
async def test_every_call_runs_with_its_arguments(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert [(call.name, call.arguments) for call in outcome.calls] == EMOJI_CALLS
    assert outcome.done.stop_reason == "toolUse"
    ids = [call.id for call in outcome.calls]
    assert all(ids)
    assert len(set(ids)) == 2


async def test_arguments_of_any_kind(llm: Harness) -> None:
    outcome = await llm.call('[[odd:object]] [[tool:read {"path": "/tmp/x"}]]')
    assert outcome.calls[0].arguments == {"path": "/tmp/x"}
    for case in ("empty_arguments", "null_arguments"):
        outcome = await llm.call(f"[[odd:{case}]] [[tool:clock {{}}]]")
        assert [(call.name, call.arguments) for call in outcome.calls] == [("clock", {})]


@pytest.mark.parametrize(
    "case", ["empty_arguments", "null_arguments", "glued_truncated", "close_truncated", "cut_call"]
)
async def test_lost_arguments_fail_the_answer(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert not outcome.message.tool_calls


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("length_truncated", "format"),
        ("cut", "timeout"),
        ("close", "timeout"),
        ("bad_line", "timeout"),
        ("error_object", "overloaded"),
        ("failed", "timeout"),
        ("filtered", "unclassified"),
        ("cancelled", "unclassified"),
        ("error_body", "auth"),
        ("empty", "empty_response"),
    ],
)
async def test_failures_are_typed(llm: Harness, case: str, reason: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == reason, outcome.error.message


@pytest.mark.parametrize("case", ["cut", "close", "error_object", "failed", "filtered"])
async def test_what_had_arrived_is_kept(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.message.text == "ok "
    assert outcome.message.stop_reason == "error"


@pytest.mark.parametrize(
    ("script", "reason", "status"),
    [
        ("[[status:401]]", "auth", 401),
        ("[[status:402]]", "billing", 402),
        ("[[status:404]]", "model_not_found", 404),
        ("[[status:429]]", "rate_limit", 429),
        ("[[status:500]]", "timeout", 500),
        ("[[status:503]]", "timeout", 503),
        ("[[overflow]]", "context_overflow", 400),
    ],
)
async def test_refusals_are_typed(llm: Harness, script: str, reason: str, status: int) -> None:
    error = (await llm.call(script)).error
    assert error.http_status == status
    if reason != "timeout":
        assert error.reason == reason
    assert error.retry_after == (1.0 if status in (429, 503) else None)


async def test_abort_in_the_middle(llm: Harness) -> None:
    signal = AbortSignal()
    events = []
    async for event in llm.pool.stream(llm.request("[[tokens:9]] [[stall:2]]"), signal):
        events.append(event)
        if isinstance(event, TextDelta) and event.delta == "tok1 ":
            signal.abort("rpc")
    final = events[-1]
    assert isinstance(final, Failed)
    assert final.error.reason == "aborted"
    assert final.message.text == "tok0 tok1 "
    assert await _left_open(llm) == 0


async def test_abort_while_the_service_is_silent(llm: Harness) -> None:
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.1, signal.abort)
    assert (await llm.call("[[hang]]", signal=signal)).error.reason == "aborted"
    assert await _left_open(llm) == 0


async def _left_open(llm: Harness) -> int:
    for _ in range(100):
        if llm.server.stats()["in_flight"] == 0:
            break
        await asyncio.sleep(0.05)
    return llm.server.stats()["in_flight"]


async def test_calls_run_side_by_side(llm: Harness) -> None:
    outcomes = await asyncio.gather(*(llm.call(f"[[echo:answer {n}]]") for n in range(20)))
    assert [outcome.done.text for outcome in outcomes] == [f"answer {n}" for n in range(20)]
