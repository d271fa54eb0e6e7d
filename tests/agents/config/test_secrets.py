"""Secrets go in, are encrypted, and never come out."""

from __future__ import annotations

import pytest
from django.db import connection

from agents.catalog.resolve import resolve_model
from agents.config.issues import ConfigInvalid
from agents.config.redaction import REDACTED, is_secret
from agents.config.registry import section
from agents.config.selectors import config_get, document_current
from agents.config.services import config_apply
from agents.models import AuthProfile
from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db

PROVIDER = "{models: {providers: {lab: {baseUrl: 'http://h/v1', apiKey: %s, models: [{id: 'm'}]}}}}"
TABLES = ("agents_configsection", "agents_configrevision", "agents_authprofile", "agents_provider")


def everything_stored() -> str:
    """All that the tables hold, as the database has it."""
    with connection.cursor() as cursor:
        found = []
        for table in TABLES:
            cursor.execute(f"SELECT * FROM {table}")
            found.append(str(cursor.fetchall()))
    return "".join(found)


def test_it_works() -> None:
    config_apply(text=PROVIDER % "'sk-very-secret'")
    assert config_get(path="models.providers.lab.apiKey") == REDACTED
    assert resolve_model(ref="lab/m").api_key == "sk-very-secret"
    assert AuthProfile.objects.get().name == "lab:default"
    assert "sk-very-secret" not in everything_stored()


def test_the_mark_keeps_what_is_stored() -> None:
    config_apply(text=PROVIDER % "'sk-very-secret'")
    config_apply(text=(PROVIDER % f"'{REDACTED}'").replace("/v1", "/v2"))
    model = resolve_model(ref="lab/m")
    assert (model.api_key, model.base_url) == ("sk-very-secret", "http://h/v2")


def test_the_mark_without_anything_stored_is_an_error() -> None:
    assert errors_of(PROVIDER % f"'{REDACTED}'") == [
        f"line 1: models.providers.lab.apiKey: {REDACTED} keeps a stored value, "
        "but none is stored here"
    ]


def test_leaving_the_key_out_removes_it() -> None:
    config_apply(text=PROVIDER % "'sk-very-secret'")
    config_apply(text=PROVIDER % "null")
    assert not AuthProfile.objects.exists()
    assert resolve_model(ref="lab/m").api_key == ""


def test_secrets_of_sections_that_nothing_reads_yet() -> None:
    text = "{channels: {telegram: {botToken: 'b0t', accounts: {a: {botToken: 'b1t'}}}},"
    text += " mcp: {servers: {x: {command: 'python3', env: {X_API_KEY: 'k3y', ROOT: '/srv'}}}},"
    text += " gateway: {auth: {token: 'g4te'}}}"
    config_apply(text=text)
    telegram = config_get(path="channels.telegram")
    assert telegram == {"botToken": REDACTED, "accounts": {"a": {"botToken": REDACTED}}}
    assert config_get(path="mcp.servers.x.env") == {"X_API_KEY": REDACTED, "ROOT": "/srv"}
    stored = everything_stored()
    assert [word for word in ("b0t", "b1t", "k3y", "g4te") if word in stored] == []
    assert section("gateway").auth.token == "g4te"


def test_headers_with_credentials() -> None:
    text = PROVIDER % "null"
    text = text.replace("models: [", "headers: {'X-Api-Key': 's3cret', 'X-Title': 'us'}, models: [")
    config_apply(text=text)
    assert config_get(path="models.providers.lab.headers") == {
        "X-Api-Key": REDACTED,
        "X-Title": "us",
    }
    assert "s3cret" not in everything_stored()
    assert resolve_model(ref="lab/m").headers["X-Api-Key"] == "s3cret"


def test_the_mark_finds_items_of_lists_by_their_id() -> None:
    first = "{agents: {list: [{id: 'a', tts: {apiKey: 'one'}}, {id: 'b', tts: {apiKey: 'two'}}]}}"
    config_apply(text=first)
    second = f"{{agents: {{list: [{{id: 'b', tts: {{apiKey: '{REDACTED}'}}}}]}}}}"
    # The place of `b` moved to the front; without ids it would get the key of `a`.
    report = config_apply(text=second)
    assert report.document["agents"]["list"] == [
        {"id": "b", "default": True, "tts": {"apiKey": REDACTED}}
    ]
    assert document_current()["agents"]["list"][0]["tts"] == {"apiKey": "two"}


def test_errors_do_not_show_secrets() -> None:
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text=(PROVIDER % "'sk-very-secret'").replace("http://h", "ftp://h"))
    assert "sk-very-secret" not in str(caught.value) + str(caught.value.details)


def test_sealed_text_cannot_be_smuggled_in() -> None:
    """Otherwise ciphertext from the database could be opened in a place that is shown."""
    assert errors_of("{talk: {note: {$sealed: 'f1:abc'}}}") == [
        "line 1: talk.note.$sealed: this key is reserved"
    ]


@pytest.mark.parametrize(
    ("key", "parent", "secret"),
    [
        ("apiKey", "", True),
        ("botToken", "telegram", True),
        ("client_secret", "", True),
        ("password", "", True),
        ("Authorization", "headers", True),
        ("SIGNING_KEY", "env", True),
        ("sessionKey", "hooks", False),
        ("mainKey", "session", False),
        ("GH_HOST", "env", False),
        ("tokenSource", "", False),
    ],
)
def test_names_of_secrets(key: str, parent: str, secret: bool) -> None:
    assert is_secret(key, parent, "value") is secret
