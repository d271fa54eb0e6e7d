"""One page over the guard: redirects, sizes and times are limited."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from agents.core.errors import ToolError
from agents.core.untrusted import one_line
from tools.net.body import ACCEPT_ENCODING, body_read
from tools.net.hosts import Resolver, system_resolver
from tools.net.policy import PUBLIC, NetworkPolicy
from tools.net.transport import guarded_client
from tools.net.urls import url_read

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much one fetch may take. Sizes in bytes of the unpacked body."""

    seconds: float = 30.0
    bytes: int = 750_000
    error_bytes: int = 65_536
    redirects: int = 3


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back. `cut` says that the body was longer than the limit."""

    url: httpx.URL
    status: int
    headers: httpx.Headers
    body: bytes
    cut: bool = False

    @property
    def is_error(self) -> bool:
        """Whether the server said that it did not give what was asked for."""
        return self.status >= 400


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches pages. Holds no connection, so it may live as long as it likes."""

    policy: NetworkPolicy = PUBLIC
    limits: FetchLimits = FetchLimits()
    headers: Mapping[str, str] = field(default_factory=dict)
    resolver: Resolver = system_resolver

    async def fetch(self, text: str) -> Fetched:
        """The page at the address `text`. Errors of the server come back as they are.

        Raises PolicyDenied when it or a redirect leads where nothing may be fetched, ToolError for
        everything else that goes wrong. What they quote of the server is short and neutralised.
        """
        url = url_read(text)
        try:
            async with (
                asyncio.timeout(self.limits.seconds),
                guarded_client(
                    self.policy, timeout_seconds=self.limits.seconds, resolver=self.resolver
                ) as client,
            ):
                return await self._follow(client, url)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ToolError(
                f"The page took more than {self.limits.seconds:g} seconds and was given up."
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # It may quote what the server sent.
            detail = one_line(str(error), 200) or type(error).__name__
            raise ToolError(f"The page could not be fetched: {detail}.") from error

    async def _follow(self, client: httpx.AsyncClient, url: httpx.URL) -> Fetched:
        seen = {url}
        headers = {**self.headers, "accept-encoding": ACCEPT_ENCODING}
        while True:
            # A client keeps cookies; a page must not be told what another one has set.
            client.cookies.clear()
            async with client.stream("GET", url, headers=headers) as response:
                location = response.headers.get("location")
                if response.status_code not in _REDIRECTS or location is None:
                    return await self._read(response, url)
            url = _redirected(location, url)
            if url in seen:
                raise ToolError(f"The page redirects in a circle at {url.host!r}.")
            if len(seen) > self.limits.redirects:
                raise ToolError(f"The page redirects more than {self.limits.redirects} times.")
            seen.add(url)

    async def _read(self, response: httpx.Response, url: httpx.URL) -> Fetched:
        wrong = response.status_code >= 400
        limit = min(self.limits.error_bytes, self.limits.bytes) if wrong else self.limits.bytes
        body, cut = await body_read(response, limit)
        return Fetched(url, response.status_code, response.headers, body, cut)


def _redirected(location: str, url: httpx.URL) -> httpx.URL:
    """Where a redirect of the page at `url` leads."""
    try:
        return url_read(location, base=url)
    except ToolError as error:
        raise ToolError(f"The page redirects, but {one_line(error.message, 200)}") from error
