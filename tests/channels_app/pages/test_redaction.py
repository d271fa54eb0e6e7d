"""Secrets removed from what pages show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels_app.pages.redaction import REMOVED, text_redacted, value_redacted

SECRETS = [
    "sk-ant-api03-abcdefghijklmnop",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "xoxb-1234567890-abcdefghij",
    "AKIAABCDEFGHIJKLMNOP",
    "AIzaSyA-abcdefghijklmnopqrstuvwxyz012345",
    "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop",
]


def test_it_works() -> None:
    assert text_redacted("key sk-abcdefghijklmnopqrst here") == f"key {REMOVED} here"


@pytest.mark.parametrize("secret", SECRETS)
def test_known_shapes(secret: str) -> None:
    assert secret not in text_redacted(f'"{secret}", and\n{secret}.')


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdefgh12345",
        "API_KEY=abcdefgh12345",
        'password: "abcdefgh12345"',
        "client_secret=abcdefgh12345&x=1",
        "-----BEGIN RSA PRIVATE KEY-----\nabcdefgh12345\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_assigned_secrets(text: str) -> None:
    assert "abcdefgh12345" not in text_redacted(text)


def test_secrets_of_this_process() -> None:
    assert text_redacted("it is letmein-please", known=["letmein-please"]) == f"it is {REMOVED}"
    assert text_redacted("short", known=["short"]) == "short"


def test_values_under_telling_names() -> None:
    value = {"headers": {"x-api-key": "short", "accept": "json"}, "list": [{"password": "p"}]}

    assert value_redacted(value) == {
        "headers": {"x-api-key": REMOVED, "accept": "json"},
        "list": [{"password": REMOVED}],
    }


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 4096 words",
        "max_tokens: 128000",
        "tokens: 1,234,567 in, 89 out",
        "the secretary said",
        "tokens in, tokens out",
        "a task-oriented sk-",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert text_redacted(text) == text


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = text_redacted(text)

    assert text_redacted(once) == once
