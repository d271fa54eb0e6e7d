"""One exchange with GitHub itself, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.core.errors import ProviderError
from agents.providers.github_copilot.addresses import EDITOR_HEADERS

# Seconds; GitHub answers within one.
TIMEOUT = 30.0


def github_ask(
    method: str, address: str, *, form: Mapping[str, str] | None = None, token: str = ""
) -> tuple[int, dict[str, Any]]:
    """(status, JSON object) of the answer; {} when it is none.

    Raises ProviderError (timeout) when GitHub does not answer. Blocks: for threads only.
    """
    import httpx

    headers = {**EDITOR_HEADERS, "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"token {token}"
    try:
        answer = httpx.request(method, address, data=form, headers=headers, timeout=TIMEOUT)
    except httpx.HTTPError as error:
        text = f"GitHub did not answer: {type(error).__name__}"
        raise ProviderError(text, reason="timeout") from error
    try:
        body = answer.json()
    except ValueError:
        body = {}
    return answer.status_code, body if isinstance(body, dict) else {}
