"""Where the settings of a model's requests come from, and which wins."""

from __future__ import annotations

from typing import Any

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.models import Provider
from agents.providers.wrappers.compose import wrappers_for
from agents.selectors import agent_model

pytestmark = pytest.mark.django_db

DOCUMENT = """{
  models: {providers: {
    lab: {baseUrl: 'http://10.0.0.1/v1', apiKey: 'k1',
      params: {a: 'provider', b: 'provider', c: 'provider', d: 'provider', e: 'provider'},
      wrappers: ['request_log', {name: 'headers', headers: {'X-Api-Key': 's3cret-header'}}],
      models: [{id: 'small', params: {b: 'model', c: 'model', d: 'model', e: 'model'}},
               {id: 'large'}]}}},
  agents: {
    defaults: {params: {c: 'defaults', d: 'defaults', e: 'defaults', cacheRetention: 'long'},
      models: {'lab/small': {params: {d: 'entry', e: 'entry'}}}},
    list: [{id: 'main', default: true},
           {id: 'own', params: {e: 'agent', cacheRetention: 'none', wrappers: []}}]}}"""


def test_it_works() -> None:
    config_apply(text=DOCUMENT)
    params = agent_model(slug="own", ref="lab/small").params
    assert {key: params[key] for key in "abcde"} == {
        "a": "provider",
        "b": "model",
        "c": "defaults",
        "d": "entry",
        "e": "agent",
    }
    assert params["cacheRetention"] == "none"
    other = agent_model(slug="main", ref="lab/large").params
    assert (other["b"], other["e"], other["cacheRetention"]) == ("provider", "defaults", "long")


def test_wrappers_of_a_provider_and_of_an_agent() -> None:
    config_apply(text=DOCUMENT)
    log, headers, always = wrappers_for(agent_model(slug="main", ref="lab/small"))
    assert (log, always) == ("request_log", "think_tags")
    assert headers == {"name": "headers", "headers": {"X-Api-Key": "s3cret-header"}}
    assert wrappers_for(agent_model(slug="own", ref="lab/small")) == ["think_tags"]


def test_secrets_in_a_wrapper_are_stored_encrypted() -> None:
    config_apply(text=DOCUMENT)
    assert "s3cret-header" not in str(Provider.objects.get(name="lab").settings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{models: {providers: {lab: {baseUrl: 'http://10.0.0.1', wrappers: ['nope']}}}}", "nope"),
        ("{models: {providers: {lab: {baseUrl: 'http://10.0.0.1', wrappers: [3]}}}}", "wrappers"),
        ("{agents: {defaults: {params: {cacheRetention: 'ever'}}}}", "cacheRetention"),
        ("{agents: {list: [{id: 'x', params: {wrappers: ['nope']}}]}}", "nope"),
        ("{agents: {defaults: {params: {wrappers: 'request_log'}}}}", "wrappers must be a list"),
    ],
)
def test_wrong_settings_are_named(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        config_apply(text=text)
    assert words in f"{caught.value} {caught.value.details}"


@pytest.mark.parametrize(("api", "reasoning"), [("completions", False), ("responses", True)])
def test_known_models_reason_over_responses(api: str, reasoning: bool) -> None:
    provider: dict[str, Any] = {"api": f"openai-{api}", "apiKey": "k1"}
    config_apply(text=str({"models": {"providers": {"openai": provider}}}))
    model = resolve_model(ref="openai/gpt-6-sol")
    assert model.api == f"openai-{api}"
    assert model.reasoning is reasoning
    assert ("extraBody" in model.params) is not reasoning
    assert model.price.known
