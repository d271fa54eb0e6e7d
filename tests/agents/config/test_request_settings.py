"""Parameters and headers of requests that no service could be sent."""

from __future__ import annotations

import pytest

from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db


def errors_with(settings: str) -> list[str]:
    provider = f"{{baseUrl: 'http://lab.example/v1', {settings}}}"
    return list(errors_of(f"{{models: {{providers: {{lab: {provider}}}}}}}"))


def test_it_works() -> None:
    params = "params: {temperature: 0.5, maxTokens: 100, topK: 3}"
    assert not errors_with(
        f"{params}, headers: {{'X-Title': 'us', Authorization: 'Bearer $${{K}}'}}"
    )


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ("temperature: 'hot'", "temperature"),
        ("temperature: -1", "temperature"),
        ("temperature: true", "temperature"),
        ("maxTokens: 0", "maxTokens"),
        ("maxTokens: '100'", "maxTokens"),
        ("max_tokens: 1.5", "max_tokens"),
    ],
)
def test_parameters_that_are_no_numbers(params: str, field: str) -> None:
    (error,) = errors_with(f"params: {{{params}}}")
    assert f"models.providers.lab.params: {field} must be" in error


@pytest.mark.parametrize("header", ["'x-a': 'a\\nb'", "'x-a': 'für'", "'bad name': 'x'", "'': 'x'"])
def test_headers_that_http_cannot_carry(header: str) -> None:
    (error,) = errors_with(f"headers: {{{header}}}")
    assert error.startswith("line 1: models.providers.lab.headers: ")
