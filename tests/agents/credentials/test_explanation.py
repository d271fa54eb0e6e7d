"""Why a credential is used or passed over, said in words."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.core.errors import NotFound, UserError
from agents.credentials.explanation import Line, credential_explain
from agents.credentials.services import credential_failed
from tests.agents.credentials.conftest import profile_make, provider_make

pytestmark = pytest.mark.django_db
REF = "lab/small"
HOUR_MS = timedelta(hours=1).total_seconds() * 1000


def lines(**question: str) -> dict[str, Line]:
    """What was met, by the id of the credential."""
    explained = credential_explain(**{"model": REF, **question})
    return {line.credential.id: line for layer in explained.layers for line in layer.lines}


def test_it_works() -> None:
    provider_make("lab")
    profile_make("lab:work")
    explained = credential_explain(model=REF)
    assert explained.winner is not None
    assert explained.winner.id == "lab:work"
    assert "main would call lab/small with lab:work, because" in explained.sentence
    assert [layer.number for layer in explained.layers] == [1, 2, 3, 4, 5, 6]
    assert lines()["lab:work"].standing == "used"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"enabled": False}, "switched off"),
        ({"agent": "ops"}, "agent ops only"),
        ({"secret": ""}, "secret is not set"),
        ({"secret": "${NO_SUCH_KEY}"}, "refers to ${NO_SUCH_KEY}"),
        ({"mode": "token", "data": {"expires": 1000}}, "has ended"),
        ({"mode": "oauth", "data": {"expires": "soon"}}, "is no time"),
        ({"mode": "oauth", "data": {"expires": 0}}, "is no time"),
        ({"mode": "aws", "secret": "", "data": {"accessKeyId": "A"}}, "secret is not set"),
    ],
)
def test_reasons(fields: dict[str, Any], words: str) -> None:
    provider_make("lab")
    profile_make("lab:well", position=1)
    profile_make("lab:odd", **fields)
    line = lines()["lab:odd"]
    assert (line.standing, words in line.sentence) == ("passed", True)
    assert lines()["lab:well"].standing == "used"


def test_token_that_holds_or_can_be_renewed() -> None:
    provider_make("lab")
    soon = (time.time() * 1000) + HOUR_MS
    profile_make("lab:token", mode="token", data={"expires": soon})
    data = {"expires": 1000, "tokenUrl": "https://lab.example/token"}
    profile_make("lab:oauth", mode="oauth", refresh="r", data=data)
    assert {line.standing for line in lines().values()} == {"used", "next"}


def test_mode_of_the_provider() -> None:
    provider_make("lab", auth="oauth")
    profile_make("lab:key")
    assert "auth admits only oauth" in lines()["lab:key"].sentence


def test_order() -> None:
    provider_make("lab")
    profile_make("lab:a")
    profile_make("other:b")
    config_apply(
        text="""{auth: {order: {lab: ['other:b', 'lab:gone']}}, models: {providers: {lab:
          {baseUrl: 'https://lab.example/v1'}}}}"""
    )
    assert "auth.order.lab does not name it" in lines()["lab:a"].sentence
    assert "is for other" in lines()["other:b"].sentence
    assert "no credential of this name" in lines()["lab:gone"].sentence


def test_unreadable() -> None:
    provider_make("lab")
    profile_make("lab:lost")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE agents_authprofile SET secret = 'f1:x'")
    cache_clear()
    assert "key that is gone" in lines()["lab:lost"].sentence
    assert "there is no credential for it" in credential_explain(model=REF).sentence


@pytest.mark.parametrize("secret", ["sk-a\nsk-b", "sk-a\r\nx-more: 1", "schlüssel", "\u202esk-a"])
def test_what_no_header_can_hold(secret: str) -> None:
    provider_make("lab")
    profile_make("lab:odd", secret=secret)
    assert "character that no key has" in lines()["lab:odd"].sentence


def test_key_of_spaces_is_none() -> None:
    provider_make("lab")
    profile_make("lab:blank", secret=" \n")
    assert "secret is not set" in lines()["lab:blank"].sentence


def test_choice_of_a_person() -> None:
    provider_make("lab")
    profile_make("lab:a")
    profile_make("lab:b", position=1)
    profile_make("other:c")
    assert lines(chosen="lab:b")["lab:b"].standing == "used"
    assert "is for other" in lines(chosen="other:c")["other:c"].sentence
    assert "no credential of this name" in lines(chosen="gone")["gone"].sentence


def test_rests_and_refusals() -> None:
    provider_make("lab")
    profile_make("lab:a")
    profile_make("lab:b", position=1)
    credential_failed(credential="lab:a", model="small", reason="rate_limit", message="slow")
    explained = credential_explain(model=REF)
    assert explained.winner is not None
    assert explained.winner.id == "lab:b"
    assert "Resting or refused: lab:a" in explained.sentence
    line = lines()["lab:a"]
    assert (line.standing, line.message, line.ends is not None) == ("rests", "slow", True)
    credential_failed(credential="lab:b", model="small", reason="auth_permanent")
    explained = credential_explain(model=REF)
    assert explained.winner is None
    assert "cannot call" in explained.sentence
    assert lines()["lab:b"].standing == "refused"


def test_unknown_agent_and_model() -> None:
    with pytest.raises(NotFound, match="no agent nobody"):
        credential_explain(agent="nobody")
    with pytest.raises(UserError, match="no provider nowhere"):
        credential_explain(model="nowhere/x")


def test_known_service_without_a_key() -> None:
    explained = credential_explain(model="anthropic/claude-haiku-4-5")
    assert explained.winner is None
    notes = [layer.note for layer in explained.layers]
    assert any("ANTHROPIC_API_KEY" in note for note in notes)


def test_the_built_in_one() -> None:
    explained = credential_explain()
    assert explained.winner is not None
    assert explained.winner.kind == "none"


def test_as_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    provider_make("lab")
    profile_make("lab:a")
    profile_make("lab:off", enabled=False)
    credential_failed(credential="lab:a", model="small", reason="timeout", message="no answer")
    call_command("auth", "explain", model=REF, agent="main")
    text = capsys.readouterr().out
    assert "main cannot call lab/small now" in text
    assert "lab:a (api_key): rests. It takes a rest: no answer. Until 20" in text
    assert "lab:off (api_key): passed over. It is switched off." in text
    with pytest.raises(CommandError, match="no agent nobody"):
        call_command("auth", "explain", agent="nobody")
