"""Which search service answers, and when there is a web_search at all."""

from __future__ import annotations

from typing import Any

import pytest

from agents.config.registry import section
from agents.config.services import config_apply
from agents.core.tools import ToolContext
from tools.policy_turns import policy_decide
from tools.registry import register_builtin_tools, tools_for
from tools.web.backends.registry import SEARCH_BACKENDS, backend_choose
from tools.web.backends.searxng import Searxng
from tools.web.settings import SearchSettings

pytestmark = pytest.mark.django_db

register_builtin_tools()


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BRAVE_API_KEY", "TAVILY_API_KEY", "SEARXNG_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def chosen(**search: Any) -> str:
    """The name of the service for these settings, or why there is none."""
    found = backend_choose(SearchSettings.model_validate(search))
    return found.problem if found.backend is None else found.backend.name


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no search service has" in chosen()
    monkeypatch.setenv("TAVILY_API_KEY", "t")
    assert chosen() == "tavily"
    monkeypatch.setenv("SEARXNG_BASE_URL", "http://searx.example")
    assert chosen() == "searxng"
    monkeypatch.setenv("BRAVE_API_KEY", "b")
    assert chosen() == "brave"
    assert chosen(provider="tavily") == "tavily"
    assert "switched off" in chosen(enabled=False)


def test_the_configuration_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "of the environment")
    settings = SearchSettings.model_validate({"brave": {"apiKey": "of the document"}})
    endpoint = backend_choose(settings).endpoint
    assert endpoint is not None
    assert endpoint.api_key == "of the document"
    assert "of the document" not in repr(endpoint)


def test_a_key_for_the_named_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " k ")
    for key in ("k", {"source": "env", "id": "MY_KEY"}):
        settings = SearchSettings.model_validate({"provider": "tavily", "apiKey": key})
        endpoint = backend_choose(settings).endpoint
        assert endpoint is not None
        assert (endpoint.base_url, endpoint.api_key) == ("https://api.tavily.com", "k")
    assert "no search service has" in chosen(apiKey="k")


def test_a_key_of_the_environment_is_sent_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "b")
    assert "apiKey" in chosen(provider="brave", brave={"baseUrl": "https://other.example"})
    assert chosen(provider="brave", brave={"baseUrl": "https://api.search.brave.com/"}) == "brave"


def test_an_unknown_service_is_named_with_those_that_are_known() -> None:
    assert chosen(provider="altavista") == (
        "no search service altavista; known are brave, searxng, tavily"
    )
    assert "SEARXNG_BASE_URL" in chosen(provider="searxng")


class Own(Searxng):
    """A service of a plugin."""

    name = "own"
    address = "https://own.example"


def test_another_service_can_be_registered() -> None:
    SEARCH_BACKENDS.register("own", Own())
    try:
        assert chosen(provider="own") == "own"
    finally:
        SEARCH_BACKENDS.unregister("own")


def test_without_a_service_the_tool_is_not_offered(context: ToolContext) -> None:
    config_apply(text="{}")
    assert "web_search" not in [tool.name for tool in tools_for(context)]
    removal = policy_decide(context).removals["web_search"]
    assert "no search service has a key or an address" in str(removal.rule)
    config_apply(text="{tools: {web: {search: {searxng: {baseUrl: 'http://s.example'}}}}}")
    assert "web_search" in [tool.name for tool in tools_for(context)]


def test_fetching_can_be_switched_off(context: ToolContext) -> None:
    config_apply(text="{tools: {web: {fetch: {enabled: false}}}}")
    assert "web_fetch" not in [tool.name for tool in tools_for(context)]
    config_apply(text="{}")
    assert "web_fetch" in [tool.name for tool in tools_for(context)]


def test_a_key_is_never_shown() -> None:
    report = config_apply(text="{tools: {web: {search: {brave: {apiKey: 'hush'}}}}}")
    assert "hush" not in str(report.document)
    assert section("tools").web.search.brave.api_key == "hush"
