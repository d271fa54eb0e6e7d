"""Copilot's chat: Chat Completions with a token of its own and an editor's headers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import Image, Message, ToolResultMessage, UserMessage
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.common.exchange import Response
from agents.providers.github_copilot.addresses import EDITOR_HEADERS
from agents.providers.github_copilot.wallet import Wallet
from agents.providers.openai_completions.client import CompletionExchange, OpenAICompletionsClient
from agents.providers.openai_completions.request import body_build, headers_build


class CopilotClient:
    """All of Copilot for one event loop: the key is that of each request, because it changes
    every half an hour, and connections are kept by address.
    """

    def __init__(self, model: ModelInfo) -> None:
        self.wallet = Wallet()
        self.whole_only: set[str] = set()
        # Made here, in the thread in which clients are made: the library's import takes its time.
        self._by_address: dict[str, OpenAICompletionsClient] = {}
        self._at(model, model.base_url or "https://api.githubcopilot.com")

    def _at(self, model: ModelInfo, address: str) -> OpenAICompletionsClient:
        if address not in self._by_address:
            bare = replace(model, base_url=address, api_key="")
            self._by_address[address] = OpenAICompletionsClient(bare)
        return self._by_address[address]

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return CopilotExchange(self, request, signal).events()

    async def send(
        self, request: ModelRequest, *, whole: bool, exchange: CompletionExchange
    ) -> Response:
        """Sends the request with a token that holds. Raises ProviderError and openai errors."""
        token = await self.wallet.token(request.model)
        client = self._at(request.model, request.model.base_url or token.endpoint)
        compat = exchange.compat
        headers = {
            **EDITOR_HEADERS,
            **conversation_headers(request.messages),
            **headers_build(request, compat),
            "Authorization": f"Bearer {token.token}",
        }
        return await client.post(body_build(request, compat, stream=not whole), headers)

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        for client in self._by_address.values():
            await client.aclose()


class CopilotExchange(CompletionExchange):
    """One call, made again with a new token when the service refuses one before its end."""

    def __init__(self, client: CopilotClient, request: ModelRequest, signal: AbortSignal) -> None:
        super().__init__(client, request, signal)
        self._copilot = client
        self._renewed = False

    async def open(self) -> Response:
        """Sends the request."""
        return await self._copilot.send(self.request, whole=self.whole, exchange=self)

    def retry_refused(self, error: ProviderError) -> bool:
        """Once; a token that came from outside is for whoever keeps it to renew."""
        if error.http_status != 401 or self._renewed:
            return super().retry_refused(error)
        self._renewed = True
        return self._copilot.wallet.refused(self.request.model)


def conversation_headers(messages: Sequence[Message]) -> dict[str, str]:
    """Who speaks last, which decides what a call counts as, and whether there are images."""
    last = messages[-1] if messages else None
    headers = {
        "X-Initiator": "user" if last is None or isinstance(last, UserMessage) else "agent",
        "Openai-Intent": "conversation-edits",
    }
    if any(map(_has_image, messages)):
        headers["Copilot-Vision-Request"] = "true"
    return headers


def _has_image(message: Message) -> bool:
    if not isinstance(message, UserMessage | ToolResultMessage) or isinstance(message.content, str):
        return False
    return any(isinstance(block, Image) for block in message.content)
