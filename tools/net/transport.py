"""The transport of httpx that connects only to addresses which were checked a moment before."""

from __future__ import annotations

import os
import ssl
from functools import lru_cache

import httpx

from agents.core.errors import ToolError
from tools.net.hostnames import host_read
from tools.net.hosts import Resolver, host_addresses, system_resolver
from tools.net.policy import NetworkPolicy
from tools.net.urls import url_host

# Seconds until the next address of a host is tried.
CONNECT_SECONDS = 10.0
# Where an administrator names certificates of an own authority.
_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_PORTS = {"http": 80, "https": 443}


class GuardedTransport(httpx.AsyncBaseTransport):
    """Resolves the host of every request once, checks all answers and connects to one of those.

    The name is never looked up a second time, so an answer that changes in between has no
    effect; certificates and the Host header are still about the name. Each request of a client,
    redirects included, comes through here. Raises PolicyDenied for what must not be reached,
    ToolError for what cannot be asked for, and httpx.TransportError for what fails on the way.
    Proxies of the environment are not used: behind one nobody knows where a request goes.
    """

    def __init__(self, policy: NetworkPolicy, *, resolver: Resolver = system_resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        # A kept connection is found by its address alone: it could belong to another name.
        self._inner = httpx.AsyncHTTPTransport(
            verify=_certificates(*map(os.environ.get, _TRUST)),
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request to the first checked address that accepts a connection."""
        host, port = _target(request.url)
        addresses = await host_addresses(host, port, policy=self._policy, resolver=self._resolver)
        failure: httpx.TransportError | None = None
        for address in addresses:
            try:
                return await self._inner.handle_async_request(_pinned(request, host, str(address)))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = error
        raise failure or httpx.ConnectError(f"{host} has no address")

    async def aclose(self) -> None:
        """Closes what is open."""
        await self._inner.aclose()


def guarded_client(
    policy: NetworkPolicy, *, timeout_seconds: float, resolver: Resolver = system_resolver
) -> httpx.AsyncClient:
    """A client whose every request passes the guard. It follows no redirects by itself.

    `timeout_seconds` is the longest silence; the caller limits the whole.
    """
    connect = min(CONNECT_SECONDS, timeout_seconds)
    return httpx.AsyncClient(
        transport=GuardedTransport(policy, resolver=resolver),
        timeout=httpx.Timeout(timeout_seconds, connect=connect),
        trust_env=False,
        follow_redirects=False,
    )


@lru_cache(maxsize=8)
def _certificates(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """The certificates that are trusted; the variables decide, so they are the key."""
    # Reading all certificates of the machine takes longer than many a request.
    return httpx.create_ssl_context()


def _target(url: httpx.URL) -> tuple[str, int]:
    port = url.port or _PORTS.get(url.scheme)
    if port is None:
        raise ToolError(f"url: must begin with http:// or https://, not {url.scheme}:.")
    if url.userinfo:
        raise ToolError("url: must not have a user name or password (…@) before the host.")
    host = url_host(url)
    return host_read(f"[{host}]" if ":" in host else host), port


def _pinned(request: httpx.Request, host: str, address: str) -> httpx.Request:
    extensions = dict(request.extensions)
    if request.url.scheme == "https" and host != address:
        extensions["sni_hostname"] = host
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions=extensions,
    )
