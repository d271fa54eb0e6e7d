"""Names of models and what they stand for."""

from __future__ import annotations

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.core.errors import UserError

pytestmark = pytest.mark.django_db

PROVIDERS = """{
  models: {providers: {
    lab: {baseUrl: 'http://10.0.0.1/v1', apiKey: 'k1', timeoutSeconds: 7, params: {topP: 0.5},
      headers: {'X-Team': 'a'},
      models: [{id: 'small', name: 'Small', contextWindow: 32000, maxTokens: 900,
                input: ['text', 'image'], reasoning: true, params: {seed: 4},
                headers: {'X-Model': 'b'}, compat: {supportsStore: true},
                cost: {input: 1, output: 2, cacheRead: 0.1}},
               {id: 'meta/llama', contextTokens: 9000}, {id: 'both'}]},
    far: {baseUrl: 'http://10.0.0.2', api: 'anthropic-messages', models: [{id: 'both'}]},
    bare: {baseUrl: 'http://10.0.0.3/v1'},
    gem: {baseUrl: 'https://g.example', api: 'google-vertex'}}},
  agents: {defaults: {models: {'lab/small': {alias: 'Tiny', params: {temperature: 0.3}}}}}}"""


@pytest.fixture(autouse=True)
def providers() -> None:
    config_apply(text=PROVIDERS)


def test_it_works() -> None:
    model = resolve_model(ref="lab/small")
    assert (model.name, model.api, model.base_url) == (
        "Small",
        "openai-completions",
        "http://10.0.0.1/v1",
    )
    assert (model.api_key, model.timeout_seconds) == ("k1", 7.0)
    assert (model.context_window, model.max_tokens, model.reasoning) == (32000, 900, True)
    assert model.input == ("text", "image")
    assert model.params == {"topP": 0.5, "seed": 4, "temperature": 0.3}
    assert model.headers == {"X-Team": "a", "X-Model": "b"}
    assert model.compat == {"supportsStore": True}
    assert (model.price.input, model.price.output, model.price.known) == (1, 2, True)


def test_a_price_that_nobody_stated_is_unknown() -> None:
    assert not resolve_model(ref="lab/both").price.known


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("tiny", "lab/small"),
        ("TINY", "lab/small"),
        ("small", "lab/small"),
        (" lab/small ", "lab/small"),
        ("LAB/small", "lab/small"),
        ("meta/llama", "lab/meta/llama"),
        ("lab/meta/llama", "lab/meta/llama"),
        ("bare/whatever:7b", "bare/whatever:7b"),
        ("rehearsal", "rehearsal/rehearsal"),
    ],
)
def test_ways_to_name_a_model(ref: str, found: str) -> None:
    assert resolve_model(ref=ref).ref == found


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        ("lab/smal", "The provider lab has no model smal. Did you mean small?"),
        ("lab/zzz", "The provider lab has no model zzz. It has: both, meta/llama, small."),
        ("labb/small", "There is no provider labb. Did you mean lab?"),
        ("quux/small", "There is no provider quux. Add it in models.providers"),
        ("both", "Several providers have a model both: write one of lab/both, far/both."),
        ("smal", "No provider has a model smal. Did you mean small?"),
        ("qqq", "No provider has a model qqq. Write it as provider/model."),
        ("gem/pro", "The provider gem speaks google-vertex, which this version cannot."),
        ("openai/gpt-5.4", "The provider openai has no API key. Set OPENAI_API_KEY, or add it in"),
    ],
)
def test_names_that_mean_nothing(ref: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        resolve_model(ref=ref)
    assert caught.value.message.startswith(sentence)


def test_the_context_may_be_cut() -> None:
    assert resolve_model(ref="lab/meta/llama").context_window == 9000


def test_a_remote_provider_needs_a_key() -> None:
    config_apply(text="{models: {providers: {away: {baseUrl: 'https://a.example/v1'}}}}")
    with pytest.raises(UserError, match="The provider away has no API key"):
        resolve_model(ref="away/m")
    config_apply(
        text="""{models: {providers: {away: {baseUrl: 'https://a.example/v1',
          headers: {'X-API-Key': 'k'}}}}}"""
    )
    assert resolve_model(ref="away/m").headers == {"X-API-Key": "k"}


def test_the_key_is_in_no_representation() -> None:
    assert "k1" not in repr(resolve_model(ref="lab/small"))
