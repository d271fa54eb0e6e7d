"""Each of the six layers wins in its turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.core.model import ModelInfo
from agents.credentials.credential import model_with
from agents.credentials.selectors import credentials_for
from agents.credentials.services import credential_succeeded
from tests.agents.credentials.conftest import LAB, OPENAI, profile_make, provider_make

pytestmark = pytest.mark.django_db
BEDROCK = ModelInfo(provider="amazon-bedrock", id="claude", api="bedrock-converse-stream")


def first(model: ModelInfo, agent: str = "main", **chosen: object) -> tuple[str, int, str]:
    """Id, layer and key of the credential that is used."""
    found = credentials_for(model=model, agent=agent, **chosen)[0]  # type: ignore[arg-type]
    return found.id, found.layer, found.key


def ids(model: ModelInfo, agent: str = "main", **chosen: object) -> list[str]:
    found = credentials_for(model=model, agent=agent, **chosen)  # type: ignore[arg-type]
    return [one.id for one in found]


def test_it_works() -> None:
    profile_make("lab:work")
    assert first(LAB) == ("lab:work", 3, "key-of-lab:work")
    assert model_with(LAB, credentials_for(model=LAB, agent="main")[0]).profile == "lab:work"


def test_spaces_around_a_copied_key_are_no_part_of_it() -> None:
    profile_make("lab:work", secret="  sk-copied \n")
    assert first(LAB) == ("lab:work", 3, "sk-copied")


def test_nothing_found() -> None:
    assert credentials_for(model=LAB, agent="main") == []


def test_all_layers_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chosen profile, the store, the environment, the configuration's key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    provider = provider_make("openai")
    provider.base_url = ""
    provider.save()
    profile_make("openai:default", secret="sk-config")
    profile_make("openai:one")
    profile_make("openai:two", position=1)
    assert ids(OPENAI) == ["openai:one", "openai:two", "env:openai", "openai:default"]
    layers = [one.layer for one in credentials_for(model=OPENAI, agent="main")]
    assert layers == [3, 3, 4, 5]
    assert ids(OPENAI, preferred="openai:two")[0] == "openai:two"
    assert ids(OPENAI, preferred="openai:two", pinned=True) == ["openai:two"]
    assert ids(OPENAI, preferred="env:openai")[:2] == ["env:openai", "openai:one"]


def test_api_key_override_prefers_the_configuration() -> None:
    provider_make("lab", auth="api-key")
    profile_make("lab:default", secret="sk-config")
    profile_make("lab:work")
    profile_make("lab:sub", mode="oauth")
    assert first(LAB) == ("lab:default", 2, "sk-config")
    assert ids(LAB) == ["lab:default", "lab:work"]


@pytest.mark.parametrize(("auth", "expected"), [("oauth", ["c", "b"]), ("token", ["b"])])
def test_mode_override(auth: str, expected: list[str]) -> None:
    provider_make("lab", auth=auth)
    for name, mode in (("a", "api_key"), ("b", "token"), ("c", "oauth")):
        profile_make(f"lab:{name}", mode=mode)
    assert ids(LAB) == [f"lab:{name}" for name in expected]


def test_aws_override_beats_everything() -> None:
    provider_make("amazon-bedrock", auth="aws-sdk")
    profile_make("amazon-bedrock:keys", mode="aws", data={"accessKeyId": "AK"})
    assert first(BEDROCK) == ("aws:amazon-bedrock", 2, "")
    assert ids(BEDROCK) == ["aws:amazon-bedrock"]


def test_aws_chain_is_the_last_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert first(BEDROCK) == ("aws:amazon-bedrock", 6, "")
    profile_make("amazon-bedrock:keys", mode="aws", data={"accessKeyId": "AK", "region": "eu-1"})
    assert ids(BEDROCK) == ["amazon-bedrock:keys", "aws:amazon-bedrock"]
    packed = model_with(BEDROCK, credentials_for(model=BEDROCK, agent="main")[0]).api_key
    assert '"access_key":"AK"' in packed
    assert '"region":"eu-1"' in packed
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer")
    assert ids(BEDROCK)[1] == "env:amazon-bedrock"


def test_oauth_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    claude = ModelInfo(provider="anthropic", id="c", api="anthropic-messages")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    monkeypatch.setenv("ANTHROPIC_OAUTH_TOKEN", "tok")
    found = credentials_for(model=claude, agent="main")[0]
    assert (found.kind, found.key) == ("oauth", "tok")


def test_key_that_is_kept_in_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    provider_make("lab", apiKey={"source": "env", "id": "LAB_KEY"})
    assert credentials_for(model=LAB, agent="main") == []
    monkeypatch.setenv("LAB_KEY", "sk-lab")
    assert first(LAB) == ("config:lab", 5, "sk-lab")


def test_references_in_stored_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    profile_make("lab:work", secret="${LAB_KEY}")
    assert credentials_for(model=LAB, agent="main") == []
    monkeypatch.setenv("LAB_KEY", "sk-lab")
    assert first(LAB)[2] == "sk-lab"


def test_near_services_need_no_key() -> None:
    near = replace(LAB, base_url="http://127.0.0.1:9/v1")
    assert first(near) == ("none:lab", 0, "")
    assert ids(replace(LAB, headers={"X-Api-Key": "k"})) == ["none:lab"]
    profile_make("lab:work")
    assert ids(near) == ["lab:work"]


def test_key_of_the_environment_goes_to_its_own_service_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    elsewhere = replace(OPENAI, base_url="https://other.example/v1")
    profile_make("openai:one")
    assert ids(OPENAI) == ["openai:one", "env:openai"]
    assert ids(elsewhere) == ["openai:one"]
    monkeypatch.setenv("OPENAI_BASE_URL", "https://other.example/v1/")
    assert ids(elsewhere) == ["openai:one", "env:openai"]


def test_credentials_of_one_agent() -> None:
    profile_make("lab:ops", agent="ops")
    profile_make("lab:all")
    assert ids(LAB) == ["lab:all"]
    assert ids(LAB, agent="ops") == ["lab:ops", "lab:all"]


def test_without_an_order_kinds_then_oldest_use() -> None:
    for name, mode in (("k1", "api_key"), ("k2", "api_key"), ("t", "token"), ("o", "oauth")):
        profile_make(f"lab:{name}", mode=mode)
    assert ids(LAB) == ["lab:o", "lab:t", "lab:k1", "lab:k2"]
    credential_succeeded(credential="lab:k1", model="small")
    cache_clear()
    assert ids(LAB) == ["lab:o", "lab:t", "lab:k2", "lab:k1"]


def test_explicit_order() -> None:
    for name in ("a", "b", "c"):
        profile_make(f"lab:{name}")
    config_apply(text="{auth: {order: {lab: ['lab:c', 'lab:a', 'lab:gone']}}}")
    assert ids(LAB) == ["lab:c", "lab:a"]


def test_unreadable_secret_hides_no_other() -> None:
    profile_make("lab:lost")
    profile_make("lab:well")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE agents_authprofile SET secret = 'f1:x' WHERE name = 'lab:lost'")
    cache_clear()
    assert ids(LAB) == ["lab:well"]
    assert ids(LAB, preferred="lab:lost", pinned=True) == ["lab:well"]
