"""The short-lived tokens of one process, bought before they are needed, one purchase at a time."""

from __future__ import annotations

import asyncio
import time

from agents.core.errors import ProviderError
from agents.core.model import ModelInfo
from agents.providers.github_copilot.tokens import CopilotToken, token_exchange, token_unpack

# runtime.md 2.9, seconds: how long before its end a token is renewed, the least time between two
# purchases, and how long after a failed one the next is tried while the old token holds.
MARGIN = 300.0
MIN_DELAY = 5.0
AGAIN_AFTER = 60.0


class Wallet:
    """Bound to one event loop, as its client."""

    def __init__(self) -> None:
        self._tokens: dict[str, CopilotToken] = {}
        self._next: dict[str, float] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def token(self, model: ModelInfo) -> CopilotToken:
        """A token for `model`, whose key is one already or a GitHub token that buys it.

        Raises ProviderError as `token_exchange`; only when no token is left that holds.
        """
        key = model.api_key
        given = token_unpack(key)
        if given is not None:
            return given
        if not key:
            text = "nobody has signed in to GitHub Copilot; run manage.py auth login github-copilot"
            raise ProviderError(f"{model.ref}: {text}", reason="auth")
        if not self._is_due(key):
            return self._tokens[key]
        async with self._locks.setdefault(key, asyncio.Lock()):
            if self._is_due(key):
                await self._buy(key, str(model.compat.get("githubUrl") or ""))
            return self._tokens[key]

    def refused(self, model: ModelInfo) -> bool:
        """Forgets a token that the service refused before its end; whether a new one can be had."""
        return self._tokens.pop(model.api_key, None) is not None

    def _is_due(self, key: str) -> bool:
        held, now = self._tokens.get(key), time.time()
        if held is None or held.expires_at <= now:
            return True
        return held.expires_at - now <= MARGIN and now >= self._next.get(key, 0.0)

    async def _buy(self, key: str, github_url: str) -> None:
        now = time.time()
        try:
            bought = await asyncio.to_thread(
                token_exchange, github_token=key, github_url=github_url
            )
        except ProviderError:
            held = self._tokens.get(key)
            if held is None or held.expires_at <= now:
                raise
            self._next[key] = now + AGAIN_AFTER
            return
        self._tokens[key] = bought
        self._next[key] = now + MIN_DELAY
