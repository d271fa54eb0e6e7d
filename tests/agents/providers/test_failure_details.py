"""What a refusal says beyond its reason: what to leave out, how long to wait, how large it was."""

from __future__ import annotations

import httpx
import pytest

from agents.core.model import ModelInfo
from agents.providers.failures import error_from_body, error_from_exception

MODEL = ModelInfo(provider="p", id="m", api="google-generative-ai", base_url="http://x")


def refused(text: str, status: int | None = 400) -> tuple[bool, bool]:
    error = error_from_body({"error": {"message": text}}, MODEL, status=status)
    return error.thinking_refused, error.image_refused


def http_error(status: int, content: bytes, **headers: str) -> httpx.HTTPStatusError:
    request = httpx.Request("POST", "http://x")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx.Response(status, content=content, headers=named, request=request)
    return httpx.HTTPStatusError("refused", request=request, response=response)


def test_it_works() -> None:
    assert refused("messages.1.content.0: Invalid `signature` in `thinking` block") == (True, False)
    assert refused("messages.0.content.1: image exceeds 5 MB maximum: 6 > 5") == (False, True)
    assert refused("messages.0: role must be user") == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "`thinking` or `redacted_thinking` blocks in the latest message cannot be modified.",
        "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`",
        "Function call is missing a thought_signature in functionCall parts.",
        "Thought signature is not valid.",
        "The encrypted content for item rs_12 could not be verified.",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
)
def test_refused_reasoning(text: str) -> None:
    assert refused(text) == (True, False)
    assert refused(text, None) == (True, False)
    assert refused(text, 500) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens must be greater than thinking.budget_tokens",
        "Thinking is not supported by this model",
        "temperature may only be set to 1 when thinking is enabled",
        "Invalid signature: the request signature does not match",
    ],
)
def test_settings_of_thinking_are_no_refused_reasoning(text: str) -> None:
    assert refused(text) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "Could not process image",
        "Unable to process input image. Please retry.",
        "Invalid image data",
    ],
)
def test_refused_images(text: str) -> None:
    assert refused(text) == (False, True)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("prompt is too long: 210000 tokens > 200000 maximum", 210_000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed", 1_200_000),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted "
            "in 9,001 tokens.",
            9_001,
        ),
        ("prompt is too long", None),
    ],
)
def test_size_of_a_request_that_is_too_long(text: str, tokens: int | None) -> None:
    error = error_from_body({"error": {"message": text}}, MODEL, status=400)
    assert error.reason == "context_overflow"
    assert error.observed_tokens == tokens


def test_errors_of_a_plain_http_client() -> None:
    body = b'{"error": {"code": 429, "message": "Slow down", "status": "RESOURCE_EXHAUSTED"}}'
    error = error_from_exception(http_error(429, body, retry_after="7"), MODEL)
    assert (error.reason, error.http_status, error.retry_after) == ("rate_limit", 429, 7.0)
    assert "Slow down" in error.message
    plain = error_from_exception(http_error(404, b"404 page not found"), MODEL)
    assert (plain.reason, plain.http_status) == ("model_not_found", 404)
    assert error_from_exception(http_error(500, b""), MODEL).reason == "timeout"
    html = error_from_exception(http_error(503, b"<html>down</html>"), MODEL)
    assert html.reason == "timeout"


def test_key_that_google_does_not_know() -> None:
    text = "API key not valid. Please pass a valid API key."
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    error = {"code": 400, "message": text, "status": "INVALID_ARGUMENT", "details": details}
    assert error_from_body([{"error": error}], MODEL, status=400).reason == "auth"


def test_wait_that_google_asks_for() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}]
    body = {"error": {"code": 429, "message": "Quota", "details": details}}
    assert error_from_body(body, MODEL, status=429).retry_after == 37.5
    assert error_from_body({"error": {"details": "no list"}}, MODEL, status=429).retry_after is None


def test_connection_that_cannot_be_made() -> None:
    failed = error_from_exception(httpx.ConnectError("refused"), MODEL)
    assert (failed.reason, failed.retryable) == ("timeout", True)
    assert "could not be reached" in failed.message
    wrong = error_from_exception(httpx.UnsupportedProtocol("no http"), MODEL)
    assert (wrong.reason, wrong.retryable) == ("format", False)
