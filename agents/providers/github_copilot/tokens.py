"""The short-lived token of Copilot: bought with a GitHub token, good for some minutes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from agents.core.errors import ProviderError, ProviderReason
from agents.providers.github_copilot.addresses import (
    DEFAULT_ENDPOINT,
    address_is_safe,
    github_addresses,
)
from agents.providers.github_copilot.http import github_ask

# "tid=…;exp=1767225600;…;proxy-ep=proxy.business.githubcopilot.com;…:signature"
_SHORT_LIVED = re.compile(r"(?:^|;)exp=(\d+)(?:;|:|$)")
_PROXY = re.compile(r"(?:^|;)proxy-ep=proxy\.([\w.-]+\.(?:githubcopilot|ghe)\.com)(?:;|$)")
_REASONS: dict[int, ProviderReason] = {401: "auth_permanent", 403: "auth", 404: "auth"}
_MESSAGES = {
    401: "GitHub does not take its token any more; sign in anew",
    403: "this GitHub account may not use Copilot",
    404: "this GitHub account has no Copilot",
}


@dataclass(frozen=True, slots=True)
class CopilotToken:
    """A token, its end in seconds since the epoch, and the address of chat it is for."""

    token: str = field(repr=False)
    expires_at: float
    endpoint: str = DEFAULT_ENDPOINT

    def packed(self) -> str:
        """The text that a credential stores; `token_unpack` reads it."""
        facts = {"token": self.token, "expires_at": self.expires_at, "endpoint": self.endpoint}
        return orjson.dumps(facts).decode()


def token_unpack(api_key: str) -> CopilotToken | None:
    """The short-lived token in `api_key`; None when it is a GitHub token, to be exchanged."""
    if api_key.startswith("{"):
        try:
            return CopilotToken(**orjson.loads(api_key))
        except (ValueError, TypeError):
            return None
    found = _SHORT_LIVED.search(api_key)
    if found is None:
        return None
    return CopilotToken(api_key, float(found.group(1)), _endpoint_of(api_key))


def _endpoint_of(token: str) -> str:
    """Chat stands beside the proxy that the token names."""
    found = _PROXY.search(token)
    return f"https://api.{found.group(1)}" if found else DEFAULT_ENDPOINT


def token_exchange(*, github_token: str, github_url: str = "") -> CopilotToken:
    """Buys a token. Blocks: for threads only.

    Raises ProviderError: auth_permanent when the GitHub token is refused, auth when the account
    may not use Copilot, timeout when GitHub does not answer; UserError for a wrong address.
    """
    address = github_addresses(github_url).token
    status, body = github_ask("GET", address, token=github_token)
    token, expires = body.get("token"), body.get("expires_at")
    if status == 200 and isinstance(token, str) and token and isinstance(expires, int | float):
        return CopilotToken(token, float(expires), _endpoint(body, token))
    told = _MESSAGES.get(status, f"GitHub answered HTTP {status} without a token")
    detail = body.get("message") if isinstance(body.get("message"), str) else ""
    text = f"github-copilot: {told}{f' ({detail})' if detail else ''}"
    raise ProviderError(text, reason=_REASONS.get(status, "timeout"), http_status=status)


def _endpoint(body: dict[str, Any], token: str) -> str:
    endpoints = body.get("endpoints")
    named = endpoints.get("api") if isinstance(endpoints, dict) else None
    if isinstance(named, str) and address_is_safe(named):
        return named.rstrip("/")
    return _endpoint_of(token)
