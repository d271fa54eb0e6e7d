"""`tools.web` of the configuration document (runtime.md 4.4, 17), and what follows from it."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.registry import section
from agents.config.schema import Kept, Strict
from agents.config.sections.models_schema import Address
from agents.core.errors import ToolError
from tools.net.hostnames import host_read
from tools.net.policy import INSIDE_KINDS, PUBLIC, NetworkPolicy, network_read

# What a browser of our days says; pages that know no other send better text to it.
USER_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/142.0.0.0 Safari/537.36"
)

Seconds = Annotated[float, Field(gt=0, le=600)]
Minutes = Annotated[float, Field(ge=0, le=10_080)]
Chars = Annotated[int, Field(ge=100, le=1_000_000)]


def _host_pattern(value: str) -> str:
    """A name, "*.name", an address or a network, in the spelling that hosts are compared in."""
    if (network := network_read(value)) is not None:
        return str(network)
    stars = "*." if value.startswith("*.") else ""
    try:
        return stars + host_read(value.removeprefix("*."))
    except ToolError as error:
        text = _("must be a host, *.host, an address or a network such as 10.0.0.0/8")
        raise ValueError(text) from error


def _single_line(value: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise ValueError(_("must be plain characters on one line"))
    return value


HostPattern = Annotated[str, Field(max_length=300), AfterValidator(_host_pattern)]


class EnvironmentSecret(Strict):
    """A secret in a variable of the environment, as an object (automation.md 7.1)."""

    source: Literal["env"]
    provider: str = "default"
    id: str = Field(min_length=1)


Secret = str | EnvironmentSecret


class SsrfPolicy(Strict):
    """What requests of tools may reach besides public addresses.

    Even `allow_private_network` does not open link-local addresses, where clouds give out
    credentials: an entry of `allowed_hostnames` that is an address or a network does.
    """

    allow_private_network: bool = False
    dangerously_allow_private_network: bool = False
    allow_rfc2544_benchmark_range: bool = False
    allow_ipv6_unique_local_range: bool = False
    allowed_hostnames: list[HostPattern] = []
    hostname_allowlist: list[HostPattern] = []

    def network_policy(self, key: str = PUBLIC.key) -> NetworkPolicy:
        """The same as the guard reads it. `key` is where these settings stand."""
        opened: set[str] = set()
        if self.allow_private_network or self.dangerously_allow_private_network:
            opened |= INSIDE_KINDS
        if self.allow_rfc2544_benchmark_range:
            opened.add("benchmark")
        if self.allow_ipv6_unique_local_range:
            opened.add("unique local")
        networks = [(host, network_read(host)) for host in self.allowed_hostnames]
        return NetworkPolicy(
            open_kinds=frozenset(opened),
            networks=tuple(network for _host, network in networks if network is not None),
            names=tuple(host for host, network in networks if network is None),
            only=tuple(self.hostname_allowlist),
            key=key,
        )


class FetchSettings(Strict):
    """The tool web_fetch. Sizes in characters and bytes; 0 minutes switch the cache off."""

    enabled: bool = True
    max_chars: Chars = 20_000
    max_chars_cap: Chars = 20_000
    max_response_bytes: Annotated[int, Field(ge=32_000, le=10_000_000)] = 750_000
    timeout_seconds: Seconds = 30
    cache_ttl_minutes: Minutes = 15
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 3
    user_agent: Annotated[str, Field(max_length=500), AfterValidator(_single_line)] = USER_AGENT
    readability: bool = True
    ssrf_policy: SsrfPolicy = SsrfPolicy()

    firecrawl: Kept = None
    provider: Kept = None


class BackendSettings(Strict):
    """Key and address of one search service."""

    api_key: Secret = ""
    base_url: Address = ""


class SearchSettings(Strict):
    """The tool web_search. `api_key` is that of `provider`, unless the service has its own."""

    enabled: bool = True
    provider: Annotated[str, Field(max_length=60)] = ""
    api_key: Secret = ""
    max_results: Annotated[int, Field(ge=1, le=10)] = 5
    timeout_seconds: Seconds = 30
    cache_ttl_minutes: Minutes = 15
    brave: BackendSettings = BackendSettings()
    searxng: BackendSettings = BackendSettings()
    tavily: BackendSettings = BackendSettings()

    perplexity: Kept = None
    gemini: Kept = None
    grok: Kept = None
    kimi: Kept = None
    exa: Kept = None
    firecrawl: Kept = None
    duckduckgo: Kept = None
    ollama: Kept = None
    minimax: Kept = None


class WebSettings(Strict):
    """All of `tools.web`."""

    fetch: FetchSettings = FetchSettings()
    search: SearchSettings = SearchSettings()

    x_search: Kept = None


def web_settings() -> WebSettings:
    """The settings in force. Queries nothing when they were read a moment ago."""
    web: Any = section("tools").web
    assert isinstance(web, WebSettings)  # noqa: S101 - for the type checker; the schema says so
    return web


def secret_text(secret: Secret) -> str:
    """The secret itself, "" when there is none. Never to be shown or logged."""
    if isinstance(secret, EnvironmentSecret):
        return os.environ.get(secret.id, "").strip()
    return secret.strip()
