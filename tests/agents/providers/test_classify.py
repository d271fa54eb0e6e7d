"""The table of failures: what services say, and the reason that it means."""

from __future__ import annotations

import pytest

from agents.core.errors import ProviderReason
from agents.providers.classify import classify


def test_it_works() -> None:
    assert classify(status=429, message="slow down") == "rate_limit"


@pytest.mark.parametrize(
    ("status", "code", "message", "reason"),
    [
        (408, "", "", "timeout"),
        (499, "", "client closed", "timeout"),
        (499, "", "overloaded", "overloaded"),
        (500, "", "", "timeout"),
        (502, "", "<html><body>Bad gateway</body></html>", "timeout"),
        (503, "", "upstream gone", "timeout"),
        (503, "", "The model is overloaded", "overloaded"),
        (504, "", "", "timeout"),
        (521, "", "web server is down", "timeout"),
        (529, "", "", "overloaded"),
        (401, "", "Invalid API key", "auth"),
        (401, "", "Your API key has been revoked", "auth_permanent"),
        (403, "", "credit balance is too low", "billing"),
        (403, "", "no", "auth"),
        (404, "", "nothing here", "model_not_found"),
        (404, "", "conversation 12 not found", "session_expired"),
        (410, "", "gone", "timeout"),
        (410, "", "session has expired", "session_expired"),
        (413, "", "Request Entity Too Large", "context_overflow"),
        (429, "insufficient_quota", "You exceeded your current quota", "billing"),
        (429, "", "You exceeded your current quota", "rate_limit"),
        (400, "", "prompt is too long: 210000 tokens > 200000 maximum", "context_overflow"),
        (400, "context_length_exceeded", "too many", "context_overflow"),
        (400, "", "tool_use_id must match", "format"),
        (400, "", "something odd", "format"),
        (422, "", "something odd", "format"),
        (400, "", "", "unclassified"),
        (409, "", "something odd", "unclassified"),
    ],
)
def test_status_first(status: int, code: str, message: str, reason: ProviderReason) -> None:
    assert classify(status=status, code=code, message=message) == reason


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("", "billing"),
        ("Payment required", "billing"),
        ("insufficient credits", "billing"),
        ("Your quota will reset at noon", "rate_limit"),
        ("Too many requests", "rate_limit"),
        ("Limit exceeded, try again later", "rate_limit"),
        ("The monthly spend limit was reached", "rate_limit"),
        ("Organization limit exceeded", "rate_limit"),
        ("Your plan has a limit; please try again", "billing"),
    ],
)
def test_payment_required(message: str, reason: ProviderReason) -> None:
    assert classify(status=402, message=message) == reason


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("RESOURCE_EXHAUSTED", "rate_limit"),
        ("rate_limit_error", "rate_limit"),
        ("ThrottlingException", "rate_limit"),
        ("overloaded_error", "overloaded"),
        ("ECONNRESET", "timeout"),
        ("authentication_error", "auth"),
        ("permission_error", "auth"),
        ("billing_error", "billing"),
        ("not_found_error", "model_not_found"),
        ("request_too_large", "context_overflow"),
        ("invalid_request_error", "format"),
        ("api_error", "timeout"),
        ("something_new", "unclassified"),
    ],
)
def test_code_without_a_status(code: str, reason: ProviderReason) -> None:
    assert classify(code=code) == reason


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Conversation not found", "session_expired"),
        ("no such session", "session_expired"),
        ("The model `gpt-9` does not exist", "model_not_found"),
        ("No endpoints found for x/y", "model_not_found"),
        ("gpt-9 is not a valid model ID", "model_not_found"),
        ("model: x was not found", "model_not_found"),
        ("This model's maximum context length is 8192 tokens", "context_overflow"),
        ("Input token count (9) exceeds the maximum", "context_overflow"),
        ("the request exceeds the available context size", "context_overflow"),
        ("上下文过长", "context_overflow"),
        ("maximum context length, tokens per minute", "rate_limit"),
        ("402 pay up", "billing"),
        ("Key limit exceeded", "billing"),
        ("You reached your weekly limit", "rate_limit"),
        ("You reached your weekly limit; insufficient credits", "billing"),
        ("429 slow down", "rate_limit"),
        ("请求过于频繁", "rate_limit"),
        ("Overloaded", "overloaded"),
        ("The model is currently at capacity", "overloaded"),
        ("503 nope", "timeout"),
        ("529 nope", "overloaded"),
        ("Your credit balance is too low", "billing"),
        ("余额不足", "billing"),
        ("This account has been deactivated", "auth_permanent"),
        ("Incorrect API key provided", "auth"),
        ("401 no", "auth"),
        ("An unknown error occurred", "timeout"),
        ("Provider returned error", "timeout"),
        ("Internal server error", "timeout"),
        ("messages.1.tool_use.id: String should match pattern", "format"),
        ("Request timed out", "timeout"),
        ("socket hang up", "timeout"),
        ("stop reason: network_error", "timeout"),
        ("terminated", "timeout"),
        ("the process was terminated by its parent", "unclassified"),
        ("网络错误", "timeout"),
        ("image exceeds 5 MB maximum", "format"),
        ("hello", "unclassified"),
        ("", "unclassified"),
    ],
)
def test_text_alone(message: str, reason: ProviderReason) -> None:
    assert classify(message=message) == reason


def test_money_in_a_long_text_counts_only_with_a_hard_mark() -> None:
    padding = "blah " * 120
    assert classify(message=f"{padding} credit balance") == "unclassified"
    assert classify(message=f"402 {padding} credit balance") == "billing"


def test_statement_of_a_malformed_request_never_blames_the_key() -> None:
    for status in (400, 422):
        assert classify(status=status, message="messages.3: wrong role order") == "format"
