"""Failures of the service, as typed errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.core.errors import ProviderReason
from agents.core.model import ModelInfo
from agents.providers.failures import complaint_from, error_from_body
from tests.agents.providers.harness import Harness

MODEL = ModelInfo(provider="p", id="m", api="openai-completions", api_key="sk-secret-123")


async def test_it_works(llm: Harness) -> None:
    outcome = await llm.call("[[status:429]]")
    assert outcome.error.reason == "rate_limit"
    assert outcome.error.http_status == 429
    assert outcome.error.retry_after == 1.0
    assert outcome.message.stop_reason == "error"
    assert outcome.message.error_message == outcome.error.message
    assert outcome.message.usage.total == 0


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "format"),
        (401, "auth"),
        (402, "billing"),
        (403, "auth"),
        (404, "model_not_found"),
        (500, "timeout"),
        (503, "timeout"),
        (529, "overloaded"),
    ],
)
async def test_status(llm: Harness, status: int, reason: ProviderReason) -> None:
    outcome = await llm.call(f"[[status:{status}]]")
    assert outcome.error.reason == reason
    assert outcome.error.http_status == status
    assert outcome.error.message.startswith("fake/fake-1: ")


async def test_nothing_is_retried_here(llm: Harness) -> None:
    await llm.call("[[status:500:1]]")
    assert llm.server.stats()["requests"] == 1


async def test_context_overflow(llm: Harness) -> None:
    outcome = await llm.call("[[overflow]]")
    assert outcome.error.reason == "context_overflow"
    assert not outcome.error.retryable


async def test_service_that_is_not_there(llm: Harness) -> None:
    outcome = await llm.call("hi", model={"base_url": "http://127.0.0.1:9/v1"})
    assert outcome.error.reason == "timeout"
    assert "127.0.0.1:9" in outcome.error.message


async def test_silent_service(llm: Harness) -> None:
    outcome = await llm.call("[[hang]]", model={"timeout_seconds": 0.2})
    assert outcome.error.reason == "timeout"
    assert "0.2 seconds" in outcome.error.message


async def test_service_that_falls_silent(llm: Harness) -> None:
    outcome = await llm.call("[[echo:one two]] [[stall:1]]", model={"timeout_seconds": 0.3})
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "one "


async def test_dropped_connection(llm: Harness) -> None:
    outcome = await llm.call("[[tokens:5]] [[drop:2]]")
    assert outcome.error.reason == "timeout"
    assert outcome.message.text == "tok0 tok1 "


async def test_unknown_api_is_a_failure_that_names_the_fix(llm: Harness) -> None:
    outcome = await llm.call("hi", model={"api": "telepathy"})
    assert outcome.error.reason == "format"
    assert "telepathy" in outcome.error.message
    assert "openai-completions" in outcome.error.message


def test_key_never_appears_in_an_error() -> None:
    error = error_from_body({"error": {"message": "bad key sk-secret-123"}}, MODEL, status=401)
    assert "sk-secret-123" not in error.message
    assert "sk-secret-123" not in repr(replace(MODEL))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert error_from_body({}, MODEL, status=429, headers=headers).retry_after == seconds


def test_retry_after_is_not_read_where_waiting_is_no_cure() -> None:
    assert error_from_body({}, MODEL, status=401, headers={"retry-after": "7"}).retry_after is None


@pytest.mark.parametrize(
    ("body", "message", "code", "status"),
    [
        ({"error": {"message": "m", "code": "c"}}, "m", "c", None),
        ({"error": {"message": "m", "code": 429, "type": "t"}}, "m", "t", 429),
        ({"error": "m"}, "m", "", None),
        ({"detail": "m"}, "m", "", None),
        ({"message": "m", "type": "t"}, "m", "t", None),
        ([{"error": {"message": "m"}}], "m", "", None),
        ({"error": {"cause": {"error": {"message": "deep"}}}}, "deep", "", None),
        (None, "", "", None),
    ],
)
def test_error_bodies(body: object, message: str, code: str, status: int | None) -> None:
    found = complaint_from(body)
    assert (found.message, found.code, found.status) == (message, code, status)


def test_a_key_that_is_no_secret_garbles_nothing() -> None:
    model = ModelInfo(provider="p", id="m", api="openai-completions", api_key="x")
    error = error_from_body({"error": {"message": "context exceeded"}}, model, status=400)
    assert "context exceeded" in error.message
