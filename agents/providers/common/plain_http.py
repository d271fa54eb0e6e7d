"""A plain HTTP client for services that need no vendor library."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from ssl import SSLContext
from typing import TYPE_CHECKING, Any

from agents.core.model import ModelInfo
from agents.providers.common.body import json_decode, json_encode
from agents.providers.common.http import CONNECT_SECONDS, KEEPALIVE_SECONDS, MAX_CONNECTIONS
from agents.providers.failures import error_from_body

if TYPE_CHECKING:
    import httpx

# What is read of a refusal, in bytes; an error fits, a flood of them does not.
_MAX_REFUSAL = 256_000


class PlainClient:
    """Sends JSON with POST. Nothing is sent twice and no redirect is followed: where a key goes
    is decided by the configuration alone."""

    def __init__(self) -> None:
        import httpx

        limits = httpx.Limits(
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_CONNECTIONS,
            keepalive_expiry=KEEPALIVE_SECONDS,
        )
        # Read time is not limited here: `Watch` does that, together with the abort.
        timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)
        self._http: httpx.AsyncClient = httpx.AsyncClient(
            limits=limits, timeout=timeout, verify=_certificates(), follow_redirects=False
        )

    async def post(
        self, url: str, body: Mapping[str, Any], headers: Mapping[str, str], model: ModelInfo
    ) -> httpx.Response:
        """The response with its body unread. Raises httpx errors, and ProviderError for any
        status but success, with what the service said."""
        named = {"content-type": "application/json", **headers}
        request = self._http.build_request("POST", url, content=json_encode(body), headers=named)
        response = await self._http.send(request, stream=True)
        if response.is_success:
            return response
        try:
            text = await _refusal(response)
        finally:
            await response.aclose()
        raise error_from_body(text, model, status=response.status_code, headers=response.headers)

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        with suppress(Exception):
            await self._http.aclose()


async def _refusal(response: httpx.Response) -> Any:
    """What a refusal says: JSON where it is some, else text."""
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > _MAX_REFUSAL:
            break
    try:
        return json_decode(bytes(content))
    except ValueError:
        return content.decode("utf-8", "replace")


@cache
def _certificates() -> SSLContext:
    """Read once for all clients of the process, for reading takes tens of milliseconds."""
    import httpx

    return httpx.create_ssl_context()
