"""Wire formats of the configuration document: spoken, spoken as another one, or refused."""

from __future__ import annotations

from typing import get_args

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.issues import ConfigInvalid
from agents.config.sections.models_schema import API_ADVICE, USABLE_APIS, Api
from agents.config.selectors import config_get
from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.models import Provider

pytestmark = pytest.mark.django_db

PROVIDER = "{models: {providers: {lab: {baseUrl: 'https://lab.example/v1', apiKey: 'sk', %s}}}}"


def test_it_works() -> None:
    """Every format of the reference is either usable or has advice."""
    assert set(get_args(Api)) == USABLE_APIS | set(API_ADVICE)
    assert not USABLE_APIS & set(API_ADVICE)


@pytest.mark.parametrize("api", sorted(USABLE_APIS))
def test_usable_formats(api: str) -> None:
    config_apply(text=PROVIDER % f"api: '{api}'")
    spoken = {
        "azure-openai-responses": "openai-responses",
        "mistral-conversations": "openai-completions",
    }
    assert resolve_model(ref="lab/m").api == spoken.get(api, api)
    assert config_get()["models"]["providers"]["lab"]["api"] == api


def test_a_format_that_was_changed_by_hand_is_given_back() -> None:
    config_apply(text=PROVIDER % "api: 'azure-openai-responses'")
    Provider.objects.update(api="anthropic-messages")
    assert config_get()["models"]["providers"]["lab"]["api"] == "anthropic-messages"


@pytest.mark.parametrize("api", sorted(API_ADVICE))
def test_refused_formats_say_what_to_write(api: str) -> None:
    report = config_apply(text=PROVIDER % f"api: '{api}'")
    (issue,) = [i for i in report.warnings if i.path == "models.providers.lab.api"]
    assert "; use " in issue.message
    with pytest.raises(UserError, match="cannot"):
        resolve_model(ref="lab/m")


def test_a_model_may_have_its_own_format_and_address() -> None:
    config_apply(
        text=PROVIDER
        % """models: [{id: 'a'},
          {id: 'b', api: 'anthropic-messages', baseUrl: 'https://other.example'}]"""
    )
    plain, own = resolve_model(ref="lab/a"), resolve_model(ref="lab/b")
    assert (plain.api, plain.base_url) == ("openai-completions", "https://lab.example/v1")
    assert (own.api, own.base_url) == ("anthropic-messages", "https://other.example")
    with pytest.raises(ConfigInvalid) as refused:
        config_apply(text=PROVIDER % "models: [{id: 'a', api: 'google-vertex'}]")
    assert "models.providers.lab.models[0].api" in str(refused.value.report.errors)


def test_a_key_of_the_environment_never_goes_to_a_models_own_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config_apply(
        text="{models: {providers: {groq: {models: [{id: 'a', baseUrl: 'https://x.example'}]}}}}"
    )
    monkeypatch.setenv("GROQ_API_KEY", "sk-env")
    model = resolve_model(ref="groq/a")
    assert (model.base_url, model.api_key) == ("https://api.groq.com/openai/v1", "sk-env")


def test_wrong_compat_values_are_named() -> None:
    row = (
        "models: [{id: 'a', compat: {maxTokensField: 'x', openRouterRouting: 1, zaiToolStream: 2}}]"
    )
    with pytest.raises(ConfigInvalid) as refused:
        config_apply(text=PROVIDER % row)
    told = {issue.path.rpartition(".")[2]: issue.message for issue in refused.value.report.errors}
    assert told == {
        "maxTokensField": "must be one of: max_tokens, max_completion_tokens",
        "openRouterRouting": "must be an object",
        "zaiToolStream": "must be one of: true, false",
    }
