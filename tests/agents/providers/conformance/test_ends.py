"""Answers that end badly, and refusals, on every wire format."""

from __future__ import annotations

import pytest

from agents.core.errors import ProviderReason
from tests.agents.providers.harness import Harness

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "format"),
        (401, "auth"),
        (402, "billing"),
        (403, "auth"),
        (404, "model_not_found"),
        (429, "rate_limit"),
        (500, "timeout"),
        (503, "timeout"),
        (529, "overloaded"),
    ],
)
async def test_it_works(llm: Harness, status: int, reason: ProviderReason) -> None:
    outcome = await llm.call(f"[[status:{status}]]")
    assert (outcome.error.reason, outcome.error.http_status) == (reason, status)
    assert outcome.error.message.startswith("fake/fake-1: ")
    assert outcome.message.stop_reason == "error"


async def test_wait_that_the_service_asks_for(llm: Harness) -> None:
    assert (await llm.call("[[status:429]]")).error.retry_after == 1.0


async def test_overflow(llm: Harness) -> None:
    outcome = await llm.call("[[overflow]]")
    assert outcome.error.reason == "context_overflow"
    assert not outcome.error.retryable


async def test_refused_reasoning(llm: Harness) -> None:
    because = "Invalid `signature` in `thinking` block"
    outcome = await llm.call(f"[[status:400]] [[because:{because}]]")
    assert outcome.error.thinking_refused
    assert outcome.error.reason == "format"


async def test_refused_image(llm: Harness) -> None:
    outcome = await llm.call("[[status:400]] [[because:image exceeds 5 MB maximum]]")
    assert outcome.error.image_refused
    assert not outcome.error.retryable


@pytest.mark.parametrize("case", ["empty", "empty_body"])
async def test_empty_answer(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "empty_response"
    assert outcome.message.content == ()


@pytest.mark.parametrize("case", ["cut", "close"])
async def test_broken_connection_keeps_what_had_arrived(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "ok "
    assert outcome.message.usage.total > 0


async def test_dropped_connection(llm: Harness) -> None:
    outcome = await llm.call("[[tokens:5]] [[drop:2]]")
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "tok0 tok1 "


@pytest.mark.parametrize("case", ["empty_arguments", "null_arguments"])
async def test_no_arguments_for_a_tool_that_needs_none(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]] [[tool:clock {{}}]]")
    assert [(call.name, call.arguments) for call in outcome.calls] == [("clock", {})]


@pytest.mark.parametrize("case", ["close_truncated", "cut_call"])
async def test_lost_arguments_fail_the_answer(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert not outcome.message.tool_calls


async def test_call_cut_by_the_token_limit(llm: Harness) -> None:
    outcome = await llm.call("[[odd:length_truncated]]")
    assert outcome.error.reason == "format"
    assert "limit of tokens" in outcome.error.message
    assert not outcome.message.tool_calls


@pytest.mark.parametrize("case", ["bare", "no_finish_close"])
async def test_calls_without_ids_or_end_are_whole(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    found = [(call.name, call.arguments) for call in outcome.calls]
    assert found == [("read", {"path": "café 😀.txt"}), ("read", {"path": "b.txt"})]
    assert outcome.done.stop_reason == "toolUse"
    assert len({call.id for call in outcome.calls}) == 2


@pytest.mark.parametrize("case", ["html", "html_as_stream"])
async def test_web_page_names_the_base_url(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.error.reason == "timeout"
    assert "base URL" in outcome.error.message


async def test_bad_line(llm: Harness) -> None:
    outcome = await llm.call("[[odd:bad_line]]")
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "ok "


async def test_error_inside_a_stream(llm: Harness) -> None:
    outcome = await llm.call("[[odd:error_object]]")
    assert outcome.error.reason == "overloaded"
    assert outcome.message.text == "ok "


async def test_error_in_place_of_a_stream(llm: Harness) -> None:
    outcome = await llm.call("[[odd:error_body]]")
    assert outcome.error.reason == "auth"
    assert not outcome.error.retryable


@pytest.mark.parametrize("case", ["empty_choices", "keepalive", "json_body"])
async def test_odd_but_whole(llm: Harness, case: str) -> None:
    outcome = await llm.call(f"[[odd:{case}]]")
    assert outcome.done.text == "ok then"
    assert outcome.done.stop_reason == "stop"


async def test_silent_service(llm: Harness) -> None:
    outcome = await llm.call("[[hang]]", model={"timeout_seconds": 0.2})
    assert outcome.error.reason == "timeout"
    assert "0.2 seconds" in outcome.error.message


async def test_service_that_falls_silent(llm: Harness) -> None:
    outcome = await llm.call("[[echo:one two]] [[stall:1]]", model={"timeout_seconds": 0.5})
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "one "


async def test_nothing_is_retried_here(llm: Harness) -> None:
    await llm.call("[[status:500:1]]")
    assert llm.server.stats()["requests"] == 1
