"""One web search: asks the chosen service over the guard and marks what comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from agents.core.errors import ToolError
from agents.core.untrusted import one_line, wrapped
from tools.net.body import ACCEPT_ENCODING, body_read
from tools.net.hostnames import host_read
from tools.net.hosts import Resolver, system_resolver
from tools.net.policy import NetworkPolicy, network_read
from tools.net.transport import guarded_client
from tools.web.backends.backend import (
    Endpoint,
    SearchBackend,
    SearchHit,
    SearchQuery,
    SearchRequest,
)

SOURCE = "web_search"
# What a service may send at most; ten results are far below it.
_ANSWER_BYTES = 2_000_000
_TITLE_CHARS = 300
_DESCRIPTION_CHARS = 2_000


async def search_ask(
    query: SearchQuery,
    *,
    backend: SearchBackend,
    endpoint: Endpoint,
    seconds: float,
    resolver: Resolver = system_resolver,
) -> list[SearchHit]:
    """What the service found; results without the address of a page are left out.

    Raises ToolError. The key is in no message of it.
    """
    request = backend.request(query, endpoint)
    client = guarded_client(_policy(endpoint), timeout_seconds=seconds, resolver=resolver)
    try:
        async with asyncio.timeout(seconds), client:
            status, body = await _send(client, request)
    except (TimeoutError, httpx.TimeoutException) as error:
        raise ToolError(f"{backend.name} did not answer within {seconds:g} seconds.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        detail = one_line(str(error), 200) or type(error).__name__
        raise ToolError(f"{backend.name} could not be reached: {detail}.") from error
    found = backend.hits(_answer(backend, status, body))
    return [hit for hit in found if _is_page(hit.url)][: query.count]


async def _send(client: httpx.AsyncClient, request: SearchRequest) -> tuple[int, bytes]:
    body = None
    if request.body is not None:
        body = {name: value for name, value in request.body.items() if value}
    async with client.stream(
        "GET" if body is None else "POST",
        request.url,
        params={name: value for name, value in request.parameters.items() if value},
        headers={
            "accept": "application/json",
            "accept-encoding": ACCEPT_ENCODING,
            **request.headers,
        },
        json=body,
    ) as response:
        content, cut = await body_read(response, _ANSWER_BYTES)
    if cut:
        raise ToolError(f"The answer of {response.url.host} is too large.")
    return response.status_code, content


def _answer(backend: SearchBackend, status: int, body: bytes) -> Mapping[str, Any]:
    """The JSON object of an answer. Raises ToolError with what the service complained of."""
    if status != 200:
        said = one_line(body.decode("utf-8", "replace"))
        hint = "try again later" if status == 429 else ""
        if status in (401, 403):
            hint = backend.refused
        parts = [f"{backend.name} answered {status}", hint and f" ({hint})", said and f": {said}"]
        mark = {"untrusted": True, "source": "web_search", "provider": backend.name}
        raise ToolError("".join(parts), details={"externalContent": mark} if said else {})
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{backend.name} did not answer with JSON.") from error
    if not isinstance(value, dict):
        raise ToolError(f"{backend.name} answered with JSON that is no object.")
    return value


def hits_json(hits: Sequence[SearchHit]) -> list[dict[str, str]]:
    """The results as runtime.md 16.6 has them, their texts wrapped as outside content."""
    return [_hit_json(hit) for hit in hits]


def _hit_json(hit: SearchHit) -> dict[str, str]:
    title = one_line(hit.title, _TITLE_CHARS) or one_line(hit.url)
    shown = {
        "title": wrapped(title, source=SOURCE, notice=False),
        "url": one_line(hit.url, 2_000),
        "description": wrapped(
            one_line(hit.description, _DESCRIPTION_CHARS), source=SOURCE, notice=False
        ),
        "published": one_line(hit.published, 60),
        "siteName": one_line(hit.site_name or urlsplit(hit.url).hostname or "", 100),
    }
    return {name: text for name, text in shown.items() if text}


def _policy(endpoint: Endpoint) -> NetworkPolicy:
    """An administrator chose the address of the service, so it may be inside."""
    host = (urlsplit(endpoint.base_url).hostname or "").strip("[]")
    if (network := network_read(host)) is not None:
        return NetworkPolicy(networks=(network,))
    return NetworkPolicy(names=(host_read(host),))


def _is_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
