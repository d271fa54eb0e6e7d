"""${VARIABLES} in a document: kept in it, filled in when used."""

from __future__ import annotations

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.registry import section
from agents.config.selectors import config_get
from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.models import Agent
from agents.selectors import agent_snapshot
from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db

PROVIDER = """{models: {providers: {lab: {baseUrl: 'http://${LAB_HOST}/v1', apiKey: '${LAB_KEY}',
  headers: {Authorization: 'Basic ${LAB_KEY}'}, models: [{id: 'm'}]}}}}"""


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_HOST", "lab.example")
    monkeypatch.setenv("LAB_KEY", "sk-one")


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(text=PROVIDER)
    model = resolve_model(ref="lab/m")
    assert (model.base_url, model.api_key) == ("http://lab.example/v1", "sk-one")
    assert model.headers == {"Authorization": "Basic sk-one"}


def test_a_changed_variable_needs_no_second_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(text=PROVIDER)
    monkeypatch.setenv("LAB_KEY", "sk-two")
    assert resolve_model(ref="lab/m").api_key == "sk-two"


def test_the_form_is_given_back() -> None:
    config_apply(text=PROVIDER)
    provider = config_get(path="models.providers.lab")
    assert provider["baseUrl"] == "http://${LAB_HOST}/v1"
    assert provider["apiKey"] == "${LAB_KEY}"
    assert provider["headers"] == {"Authorization": "Basic ${LAB_KEY}"}


@pytest.mark.parametrize("value", [None, ""])
def test_missing_or_empty_is_an_error_with_the_place(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LAB_HOST") if value is None else monkeypatch.setenv("LAB_HOST", value)
    assert errors_of(PROVIDER) == [
        "line 1: models.providers.lab.baseUrl: the environment variable LAB_HOST is not set"
    ]


def test_a_key_that_went_missing_later_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(text=PROVIDER.replace("headers", "x").replace("x: {Auth", "params: {Auth"))
    monkeypatch.delenv("LAB_KEY")
    with pytest.raises(UserError, match="LAB_KEY, which is not set"):
        resolve_model(ref="lab/m")


def test_the_documents_own_variables_fill_gaps() -> None:
    text = "{env: {OWN: 'a', LAB_HOST: 'b', vars: {MORE: 'c'}},"
    text += " agents: {list: [{id: 'main', workspace: '/w/${OWN}/${LAB_HOST}/${MORE}'}]}}"
    config_apply(text=text)
    assert str(agent_snapshot(slug="main").workspace) == "/w/a/lab.example/c"


def test_doubled_dollars_are_text() -> None:
    config_apply(text="{agents: {list: [{id: 'main', workspace: '/w/$${OWN}/$5/${lower}'}]}}")
    assert str(agent_snapshot(slug="main").workspace) == "/w/${OWN}/$5/${lower}"
    assert config_get(path="agents.list.main.workspace") == "/w/$${OWN}/$5/${lower}"


def test_prose_is_stored_with_variables_filled_in() -> None:
    """People edit it elsewhere, and what they write there is never a reference."""
    config_apply(text="{agents: {list: [{id: 'main', systemPrompt: 'At ${LAB_HOST}.'}]}}")
    agent = Agent.objects.get(slug="main")
    assert agent.system_prompt == "At lab.example."
    agent.system_prompt = "Use ${HOME} in scripts."
    agent.save()
    assert agent_snapshot(slug="main").system_prompt == "Use ${HOME} in scripts."
    assert config_get(path="agents.list.main.systemPrompt") == "Use $${HOME} in scripts."


def test_a_setting_without_its_variable_counts_as_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    config_apply(text="{gateway: {auth: {token: '${LAB_KEY}'}, port: 4000}}")
    assert section("gateway").auth.token == "sk-one"
    monkeypatch.delenv("LAB_KEY")
    assert (section("gateway").auth.token, section("gateway").port) == ("", 4000)


def test_a_secret_reference_to_the_environment() -> None:
    key = "{source: 'env', provider: 'default', id: 'LAB_KEY'}"
    config_apply(text=PROVIDER.replace("'${LAB_KEY}'", key, 1))
    assert resolve_model(ref="lab/m").api_key == "sk-one"
    assert config_get(path="models.providers.lab.apiKey.id") == "LAB_KEY"


def test_a_secret_reference_must_be_one() -> None:
    assert errors_of(PROVIDER.replace("'${LAB_KEY}'", "{source: 'sky', id: 'x'}", 1)) == [
        "line 1: models.providers.lab.apiKey.source: must be one of 'env', 'file' or 'exec'"
    ]
