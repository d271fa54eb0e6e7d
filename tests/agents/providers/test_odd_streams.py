"""Streams that a correct service would not send, and that some do."""

from __future__ import annotations

import pytest

from agents.core.messages import Text
from tests.agents.providers.harness import Harness

pytestmark = pytest.mark.exhaustive

EMOJI_CALLS = [("read", {"path": "café 😀.txt"}), ("read", {"path": "b.txt"})]


async def test_it_works(llm: Harness) -> None:
    outcome = await llm.call("[[odd:empty_choices]]")
    assert outcome.done.content == (Text("ok then"),)
    usage = outcome.done.usage
    assert (usage.input, usage.output, usage.estimated) == (30, 5, False)


@pytest.mark.parametrize(
    "case", ["usage_last", "usage_every", "keepalive", "json_body", "no_finish_text"]
)
async def test_text_is_whole(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.done.content == (Text("ok then"),)
    assert outcome.done.stop_reason == "stop"


@pytest.mark.parametrize("case", ["usage_last", "usage_every", "keepalive", "json_body"])
async def test_reported_usage_counts_once(llm: Harness, case: str) -> None:
    usage = (await llm.call(f"[[odd:{case}]]")).done.usage
    assert (usage.input, usage.output, usage.estimated) == (30, 5, False)


@pytest.mark.parametrize("case", ["usage_null", "usage_missing"])
async def test_missing_usage_is_estimated_and_marked(llm: Harness, case: str) -> None:
    usage = (await llm.call(f"[[odd:{case}]]", tools=())).done.usage
    assert usage.estimated
    # "ok then" has 7 characters, four to a token.
    assert usage.output == 2
    assert usage.input == -(-len(f"[[odd:{case}]]") // 4)


async def test_characters_cut_in_two_deltas_are_joined(llm: Harness) -> None:
    outcome = await llm.call("[[odd:text_surrogates]]")
    assert outcome.done.text == "ok 😀 then"
    assert outcome.streamed == "ok 😀 then"


@pytest.mark.parametrize(
    "case",
    [
        "one_index",
        "no_index",
        "bare",
        "id_once",
        "pieces",
        "raw_surrogates",
        "glued",
        "glued_one_name",
        "no_finish",
        "no_finish_close",
    ],
)
async def test_every_call_runs_with_its_arguments(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert [(call.name, call.arguments) for call in outcome.calls] == EMOJI_CALLS
    assert outcome.done.stop_reason == "toolUse"
    ids = [call.id for call in outcome.calls]
    assert all(ids)
    assert len(set(ids)) == 2


async def test_glued_calls_of_two_tools(llm: Harness) -> None:
    outcome = await llm.call(
        '[[odd:glued]] [[tool:read {"path": "a"}]] [[tool:write {"path": "b"}]]'
    )
    found = [(call.name, call.arguments) for call in outcome.calls]
    assert found == [("read", {"path": "a"}), ("write", {"path": "b"})]


async def test_arguments_as_an_object(llm: Harness) -> None:
    outcome = await llm.call('[[odd:object]] [[tool:read {"path": "/tmp/x"}]]')
    assert outcome.calls[0].arguments == {"path": "/tmp/x"}


@pytest.mark.parametrize("case", ["empty_arguments", "null_arguments"])
async def test_no_arguments_for_a_tool_that_needs_none(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]] [[tool:clock {{}}]]")
    assert [(call.name, call.arguments) for call in outcome.calls] == [("clock", {})]


@pytest.mark.parametrize(
    "case",
    ["empty_arguments", "null_arguments", "glued_truncated", "close_truncated", "cut_call"],
)
async def test_lost_arguments_fail_the_answer(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert outcome.error.retryable
    assert not outcome.message.tool_calls


async def test_call_cut_by_the_token_limit_is_no_transport_fault(llm: Harness) -> None:
    outcome = await llm.call("[[odd:length_truncated]]")
    assert outcome.error.reason == "format"
    assert "limit of tokens" in outcome.error.message
    assert not outcome.message.tool_calls


@pytest.mark.parametrize("case", ["cut", "close"])
async def test_broken_connection_keeps_what_had_arrived(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "ok "
    assert outcome.message.stop_reason == "error"
    assert outcome.message.usage.total > 0


@pytest.mark.parametrize("case", ["html", "html_as_stream"])
async def test_web_page_is_a_failure_that_names_the_base_url(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert "base URL" in outcome.error.message


async def test_bad_line_is_a_transport_fault(llm: Harness) -> None:
    outcome = await llm.call("[[odd:bad_line]]")
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "ok "


async def test_error_inside_a_stream_is_classified(llm: Harness) -> None:
    outcome = await llm.call("[[odd:error_object]]")
    assert outcome.error.reason == "overloaded"
    assert outcome.message.text == "ok "


async def test_error_in_place_of_a_stream_is_classified(llm: Harness) -> None:
    outcome = await llm.call("[[odd:error_body]]")
    assert outcome.error.reason == "auth"
    assert outcome.error.http_status is None
    assert not outcome.error.retryable


@pytest.mark.parametrize("case", ["empty", "empty_body"])
async def test_stream_without_content_and_finish_is_a_failure(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "empty_response"
    assert outcome.message.content == ()


async def test_refused_answer_is_a_failure(llm: Harness) -> None:
    outcome = await llm.call("[[odd:filtered]]")
    assert outcome.error.reason == "unclassified"
    assert not outcome.error.retryable
    assert outcome.message.text == "ok "


async def test_call_lost_in_streaming_is_asked_for_again(openai_model: Harness) -> None:
    question = '[[odd:lost_call]] [[tool:read {"path": "a"}]]'
    for expected_requests in (2, 3):
        outcome = await openai_model.call(question)
        assert [call.arguments for call in outcome.calls] == [{"path": "a"}]
        assert openai_model.server.stats()["requests"] == expected_requests
    assert openai_model.last_body()["stream"] is False
