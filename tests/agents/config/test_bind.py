"""An open address without a secret is refused."""

from __future__ import annotations

import pytest

from agents.config.services import config_apply
from channels_app.config_section import shared_token
from tests.agents.config.conftest import errors_of, warnings_of

pytestmark = pytest.mark.django_db


def gateway(bind: str, auth: str = "") -> str:
    return f"{{gateway: {{bind: '{bind}', {auth}}}}}"


@pytest.mark.parametrize("bind", ["0.0.0.0", "lan", "tailnet", "192.168.1.5", "::"])
def test_it_works(bind: str) -> None:
    assert errors_of(gateway(bind)) == [
        f"line 1: gateway.bind: {bind} lets other machines connect: "
        "set auth.token or OPENCLAW_GATEWAY_TOKEN to at least 16 characters"
    ]


def test_a_short_token_is_none() -> None:
    assert len(errors_of(gateway("lan", "auth: {token: 'T'}"))) == 1


def test_no_authentication_at_all() -> None:
    assert errors_of(gateway("lan", "auth: {mode: 'none'}")) == [
        "line 1: gateway.bind: lan lets other machines connect, so auth.mode must not be none"
    ]


@pytest.mark.parametrize("bind", ["loopback", "auto", "127.0.0.1", "::1"])
def test_loopback_needs_nothing(bind: str) -> None:
    assert errors_of(gateway(bind)) == []


def test_with_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    assert errors_of(gateway("lan", "auth: {token: 'a-token-that-is-long'}")) == []
    monkeypatch.setenv("OPENCLAW_GATEWAY_TOKEN", "a-token-that-is-long")
    assert errors_of(gateway("lan")) == []


def test_words_that_are_no_address() -> None:
    assert errors_of(gateway("everywhere")) == [
        "line 1: gateway.bind: must be an IP address or one of auto, lan, loopback, custom, tailnet"
    ]
    assert errors_of(gateway("custom")) == [
        "line 1: gateway.customBindHost: must be an IP address for bind custom"
    ]


def test_what_the_environment_decides_is_told() -> None:
    assert warnings_of("{gateway: {port: 4000}}") == [
        "line 1: gateway.port: has no effect: OPENCLAW_PORT decides, and it is 18789 now"
    ]


def test_the_shared_token(monkeypatch: pytest.MonkeyPatch) -> None:
    made = shared_token()
    assert len(made) > 20
    config_apply(text="{gateway: {auth: {token: 'T'}}}")
    assert shared_token() == "T"
    monkeypatch.setenv("OPENCLAW_GATEWAY_TOKEN", "set")
    assert shared_token() == made
