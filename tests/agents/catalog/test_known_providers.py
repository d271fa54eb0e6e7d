"""Services that appear by themselves when the environment holds their key."""

from __future__ import annotations

import pytest

from agents.catalog.known import DEFAULT_MODELS, KNOWN_MODELS
from agents.catalog.known_providers import BEDROCK, COPILOT, KNOWN_PROVIDERS
from agents.catalog.listing import models_list, provider_in_use
from agents.catalog.resolve import catalog, default_model_ref, resolve_model
from agents.config.sections.models_schema import USABLE_APIS
from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.models import AuthProfile, Provider
from agents.providers.bedrock.credentials import credentials_unpack

pytestmark = pytest.mark.django_db


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or")
    model = resolve_model(ref="")
    assert model.ref == "openrouter/anthropic/claude-sonnet-5.5"
    assert (model.base_url, model.api_key) == ("https://openrouter.ai/api/v1", "sk-or")
    assert provider_in_use()["source"] == "environment"
    assert not Provider.objects.exists()
    assert not AuthProfile.objects.exists()


def test_ollama_behind_a_proxy_gets_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "sk-proxy")
    monkeypatch.setenv("OLLAMA_HOST", "http://10.9.9.9:1")
    model = resolve_model(ref="ollama/m")
    assert (model.base_url, model.api_key) == ("http://10.9.9.9:1", "sk-proxy")
    # Without an address of its own a configured one is where OLLAMA_HOST says.
    config_apply(text="{models: {providers: {ollama: {models: [{id: 'm', contextWindow: 9000}]}}}}")
    model = resolve_model(ref="ollama/m")
    assert (model.api, model.base_url) == ("ollama", "http://10.9.9.9:1")


@pytest.mark.parametrize("name", sorted(set(KNOWN_PROVIDERS) - {"ollama"}))
def test_each_is_used_with_its_key_at_its_own_address(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = KNOWN_PROVIDERS[name]
    assert known.api in USABLE_APIS
    assert known.base_url.startswith(
        "https://" if not known.is_local else "http://127."
    ) or name in (
        BEDROCK,
        COPILOT,
    )
    monkeypatch.setenv(known.keys[-1], "sk-mine")
    model = resolve_model(ref=f"{name}/some-model")
    assert "sk-mine" in model.api_key
    assert (model.base_url, model.api) == (known.base_url, known.api)
    monkeypatch.setenv(known.address, "http://127.0.0.1:9/here/")
    assert resolve_model(ref=f"{name}/some-model").base_url == "http://127.0.0.1:9/here"


@pytest.mark.parametrize("name", [name for name in KNOWN_PROVIDERS if name in DEFAULT_MODELS])
def test_each_has_a_model_that_answers_when_nobody_chose(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KNOWN_PROVIDERS[name].keys[0], "sk")
    assert default_model_ref() == f"{name}/{DEFAULT_MODELS[name]}"
    assert models_list()[0].ref == default_model_ref()
    assert DEFAULT_MODELS[name] in KNOWN_MODELS[name]


def test_without_a_key_it_says_which_variable() -> None:
    with pytest.raises(UserError, match="Set GROQ_API_KEY"):
        resolve_model(ref="groq/x")
    with pytest.raises(UserError, match="auth login github-copilot"):
        resolve_model(ref="github-copilot/x")
    with pytest.raises(UserError, match="AWS_BEARER_TOKEN_BEDROCK"):
        resolve_model(ref="amazon-bedrock/x")


def test_a_service_on_this_machine_needs_no_key() -> None:
    model = resolve_model(ref="vllm/mine")
    assert (model.base_url, model.api_key) == ("http://127.0.0.1:8000/v1", "")
    assert default_model_ref() == "rehearsal/rehearsal"


@pytest.mark.parametrize(
    ("variable", "name"),
    [("GH_TOKEN", COPILOT), ("AWS_PROFILE", BEDROCK), ("AWS_ACCESS_KEY_ID", BEDROCK)],
)
def test_a_variable_of_other_programs_makes_nobodys_default(
    variable: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "mine")
    assert resolve_model(ref=f"{name}/m").provider == name
    assert catalog().providers[name].by_chance
    assert default_model_ref() == "rehearsal/rehearsal"


def test_it_does_not_make_a_bare_name_ambiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", "gho_x")
    assert resolve_model(ref="claude-sonnet-5").provider == COPILOT
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    assert resolve_model(ref="claude-sonnet-5").provider == "anthropic"


def test_aws_keys_stay_in_aws_s_own_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    key = resolve_model(ref="amazon-bedrock/m").api_key
    assert "secret" not in key
    assert credentials_unpack(key).region == "eu-central-1"


def test_a_stored_aws_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    AuthProfile.objects.create(
        name="amazon-bedrock:work",
        provider=BEDROCK,
        mode="aws",
        secret="the-secret",
        data={"accessKeyId": "AKIAEXAMPLE", "region": "eu-west-1"},
    )
    found = credentials_unpack(resolve_model(ref="").api_key)
    assert (found.access_key, found.secret_key) == ("AKIAEXAMPLE", "the-secret")
    assert found.region == "eu-west-1"


def test_a_role_of_the_machine_is_used_when_the_configuration_says_so() -> None:
    config_apply(text="{models: {providers: {'amazon-bedrock': {auth: 'aws-sdk'}}}}")
    model = resolve_model(ref="")
    assert model.provider == BEDROCK
    assert model.api == "bedrock-converse-stream"
    assert credentials_unpack(model.api_key) == credentials_unpack("{}")


def test_what_was_set_up_here_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "sk")
    assert default_model_ref().startswith("groq/")
    config_apply(
        text="{models: {providers: {lab: {baseUrl: 'http://10.0.0.1/v1', models: [{id: 'a'}]}}}}"
    )
    assert default_model_ref() == "lab/a"
