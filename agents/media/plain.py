"""Plain HTTP for services that need no vendor library. Redirects are never followed with a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agents.core.model import ModelInfo
from agents.media.failures import MOST_BYTES
from agents.providers.common.body import json_decode
from agents.providers.failures import error_from_body, provider_error

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 30.0


async def ask(
    url: str,
    *,
    model: ModelInfo,
    headers: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
    parameters: Mapping[str, str] | None = None,
) -> bytes:
    """The body of the answer; POST with a JSON `body`, else GET.

    The caller limits the time. Raises ProviderError for every status but success and for an answer
    that is too long, and httpx errors.
    """
    import httpx

    timeout = httpx.Timeout(None, connect=_CONNECT_SECONDS)
    async with httpx.AsyncClient(timeout=timeout, follow_redirects=False) as client:
        method = "GET" if body is None else "POST"
        async with client.stream(
            method, url, json=body, params=dict(parameters or {}), headers=dict(headers)
        ) as response:
            content = await _read(response, model)
    if response.is_success:
        return content
    said = _json_or_text(content)
    raise error_from_body(said, model, status=response.status_code, headers=response.headers)


async def ask_json(
    url: str,
    *,
    model: ModelInfo,
    headers: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The JSON object that is answered, see `ask`."""
    found = _json_or_text(await ask(url, model=model, headers=headers, body=body))
    if not isinstance(found, dict):
        raise provider_error(model, "the answer is no JSON object", reason="empty_response")
    return found


async def _read(response: httpx.Response, model: ModelInfo) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MOST_BYTES:
            raise provider_error(model, "the answer is too large", reason="format")
    return bytes(content)


def _json_or_text(content: bytes) -> Any:
    try:
        return json_decode(content)
    except ValueError:
        return content.decode("utf-8", "replace")
