"""`tools.web` of the configuration document: what is refused, warned of, and what follows."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply
from tools.net.addresses import address_problem
from tools.web.settings import SsrfPolicy, WebSettings, web_settings

pytestmark = pytest.mark.django_db


def errors(text: str) -> list[str]:
    """What the document is refused for."""
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text="{tools: {web: " + text + "}}")
    return [f"{issue.path}: {issue.message}" for issue in caught.value.report.errors]


def warnings(text: str) -> list[str]:
    """What the document is warned of."""
    report = config_apply(text="{tools: {web: " + text + "}}")
    return [f"{issue.path}: {issue.message}" for issue in report.warnings]


def test_it_works() -> None:
    assert web_settings() == WebSettings()
    assert warnings("{fetch: {maxChars: 500, timeoutSeconds: 0.5}, search: {maxResults: 3}}") == []
    assert web_settings().fetch.max_chars == 500
    assert web_settings().search.max_results == 3


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("{fetch: {maxChars: 5}}", "tools.web.fetch.maxChars"),
        ("{fetch: {maxResponseBytes: 100000000}}", "tools.web.fetch.maxResponseBytes"),
        ("{fetch: {timeoutSeconds: 0}}", "tools.web.fetch.timeoutSeconds"),
        ("{fetch: {userAgent: 'a\\nb: c'}}", "tools.web.fetch.userAgent"),
        ("{fetch: {ssrfPolicy: {allowedHostnames: ['a b']}}}", "allowedHostnames[0]"),
        ("{fetch: {ssrfPolicy: {allowedHostnames: ['0x7f.1']}}}", "allowedHostnames[0]"),
        ("{fetch: {ssrfPolicy: {hostnameAllowlist: ['http://a']}}}", "hostnameAllowlist[0]"),
        ("{search: {maxResults: 11}}", "tools.web.search.maxResults"),
        ("{search: {searxng: {baseUrl: 'searx.lan'}}}", "tools.web.search.searxng.baseUrl"),
        ("{search: {serpapi: {}}}", "tools.web.search.serpapi"),
        ("{search: {brave: {apiKey: {source: 'file', id: 'x'}}}}", "tools.web.search.brave.apiKey"),
    ],
)
def test_what_is_refused(text: str, path: str) -> None:
    assert path in errors(text)[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{search: {provider: 'altavista'}}", "known are brave"),
        ("{search: {provider: 'tavily'}}", "TAVILY_API_KEY"),
        ("{search: {apiKey: 'k'}}", "ignored without provider"),
        ("{fetch: {ssrfPolicy: {allowPrivateNetwork: true}}}", "inside this network"),
        ("{fetch: {firecrawl: {}}}", "firecrawl"),
    ],
)
def test_what_is_warned_of(text: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    assert words in "\n".join(warnings(text))


def test_what_is_opened() -> None:
    policy = SsrfPolicy.model_validate(
        {
            "allowIpv6UniqueLocalRange": True,
            "allowRfc2544BenchmarkRange": True,
            "allowedHostnames": ["Intranet.Example.", "*.bücher.example", "10.1.2.3/16", "[::1]"],
        }
    ).network_policy()
    assert policy.names == ("intranet.example", "*.xn--bcher-kva.example")
    opened = ("10.1.9.9", "::1", "fd00::1", "198.18.0.1")
    assert [address_problem(ip_address(text), policy) for text in opened] == [""] * 4
    closed = ("10.2.0.1", "127.0.0.1", "169.254.169.254", "192.168.0.1")
    assert all(address_problem(ip_address(text), policy) for text in closed)


@pytest.mark.parametrize("key", ["allowPrivateNetwork", "dangerouslyAllowPrivateNetwork"])
def test_all_that_is_inside(key: str) -> None:
    policy = SsrfPolicy.model_validate({key: True}).network_policy()
    assert address_problem(ip_address("192.168.0.1"), policy) == ""
    assert address_problem(ip_address("169.254.169.254"), policy) == "link-local"
