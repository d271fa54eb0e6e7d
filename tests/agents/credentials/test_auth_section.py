"""The `auth` section of the document: metadata in, metadata out, never a secret."""

from __future__ import annotations

import json

import pytest

from agents.config.selectors import config_get, document_current
from agents.config.services import config_apply, config_rollback, config_validate
from agents.models import AuthProfile
from tests.agents.credentials.conftest import profile_make

pytestmark = pytest.mark.django_db
EXAMPLE = """{auth: {
  profiles: {
    "openai:default": {provider: "openai", mode: "api_key"},
    "anthropic:work": {provider: "anthropic", mode: "token", email: "me@example.org",
                       agent: "main", displayName: "Work"},
  },
  order: {anthropic: ["anthropic:work"]},
  cooldowns: {billingBackoffHours: 5, billingMaxHours: 24, failureWindowHours: 24},
}}"""


def errors_of(auth: str) -> list[str]:
    return [str(issue) for issue in config_validate(text=f"{{auth: {auth}}}").errors]


def names(**fields: object) -> list[str]:
    rows = AuthProfile.objects.filter(**fields).order_by("name")
    return list(rows.values_list("name", flat=True))


def test_it_works() -> None:
    config_apply(text=EXAMPLE)
    row = AuthProfile.objects.get(name="anthropic:work")
    assert (row.provider, row.mode, row.agent) == ("anthropic", "token", "main")
    assert row.secret == ""
    shown = config_get(path="auth")
    assert shown["profiles"]["anthropic:work"]["email"] == "me@example.org"
    assert shown["order"] == {"anthropic": ["anthropic:work"]}
    assert shown["cooldowns"]["billingBackoffHours"] == 5
    before = document_current()
    assert not config_apply(text=json.dumps(before)).changed
    assert document_current() == before


def test_secrets_stay_and_stay_out_of_it() -> None:
    config_apply(text=EXAMPLE)
    row = AuthProfile.objects.get(name="anthropic:work")
    row.secret = "sk-secret"
    row.save()
    assert "sk-secret" not in json.dumps(document_current())
    config_apply(text=EXAMPLE.replace("Work", "Home"))
    row.refresh_from_db()
    assert (row.secret, row.data["displayName"]) == ("sk-secret", "Home")


def test_what_is_left_out_is_switched_off_and_comes_back() -> None:
    config_apply(text=EXAMPLE)
    profile_make("openai:mine", secret="sk-mine")
    report = config_apply(text="{auth: {profiles: {'openai:default': {provider: 'openai'}}}}")
    assert any("anthropic:work, openai:mine" in str(issue) for issue in report.warnings)
    assert names(enabled=True) == ["openai:default"]
    config_rollback()
    assert names(enabled=False) == []
    assert AuthProfile.objects.get(name="openai:mine").secret == "sk-mine"


def test_without_profiles_all_stay() -> None:
    profile_make("openai:mine")
    config_apply(text="{auth: {order: {openai: ['openai:mine']}}}")
    assert names(enabled=True) == ["openai:mine"]


def test_key_of_a_provider_is_no_profile() -> None:
    text = "{models: {providers: {lab: {baseUrl: 'https://l.example', apiKey: 'sk'}}}}"
    config_apply(text=text)
    assert "auth" not in document_current()
    config_apply(text=text.replace("{models", "{auth: {profiles: {}}, models"))
    assert names(enabled=True) == ["lab:default"]


def test_listed_profile_survives_its_provider_without_a_key() -> None:
    """It may be called as a provider's key would be; it has its own secret."""
    text = """{auth: {profiles: {'lab:default': {provider: 'lab'}}},
      models: {providers: {lab: {baseUrl: 'https://l.example'}}}}"""
    config_apply(text=text)
    row = AuthProfile.objects.get()
    row.secret = "sk-own"
    row.save()
    config_apply(text=text.replace("l.example", "m.example"))
    assert AuthProfile.objects.get().secret == "sk-own"
    document = document_current()
    assert "apiKey" not in document["models"]["providers"]["lab"]
    assert not config_apply(text=json.dumps(document)).changed


@pytest.mark.parametrize(
    ("auth", "words"),
    [
        ("{profiles: {'a:b': {}}}", ["auth.profiles", "provider", "is required"]),
        ("{profiles: {'a:b': {provider: 'a', mode: 'apikey'}}}", ["mode", "must be one of"]),
        ("{profiles: {'env:b': {provider: 'b'}}}", ["must not begin with env:"]),
        ("{profiles: {' a': {provider: 'b'}}}", ["no space at its ends"]),
        ("{profiles: {'a:b': {provider: 'a', key: 'sk'}}}", ["key", "unknown key"]),
        ("{profiles: {'a:b': {provider: 'a', agent: 'A B'}}}", ["agent", "Use 1 to 64"]),
        ("{order: {a: ['a:b', 'a:b']}}", ["auth.order.a[1]", "stands twice"]),
        ("{cooldowns: {billingBackofHours: 1}}", ["did you mean billingBackoffHours?"]),
        ("{cooldowns: {billingBackoffHours: 0}}", ["billingBackoffHours", "greater than 0"]),
        ("{cooldowns: {billingBackoffHours: 30}}", ["billingMaxHours", "shorter than"]),
        ("{cooldowns: {backoffSeconds: 90, maxBackoffSeconds: 60}}", ["maxBackoffSeconds"]),
    ],
)
def test_mistakes(auth: str, words: list[str]) -> None:
    (error,) = errors_of(auth)
    assert [word for word in words if word not in error] == []


def test_secret_goes_to_no_other_provider() -> None:
    profile_make("openai:mine")
    (error,) = errors_of("{profiles: {'openai:mine': {provider: 'lab'}}}")
    assert "stored for openai" in error


def test_orders_that_name_what_is_not_there() -> None:
    profile_make("other:x")
    report = config_validate(text="{auth: {order: {lab: ['lab:gone', 'other:x']}}}")
    text = " ".join(map(str, report.warnings))
    assert "there is no credential lab:gone yet" in text
    assert "other:x is for other" in text
