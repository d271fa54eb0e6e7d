"""Messages through the `anthropic` library, which is imported when a client is made."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from agents.core.abort import AbortSignal
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.anthropic_messages.events import EventDecoder
from agents.providers.anthropic_messages.request import base_url, body_build, headers_build
from agents.providers.common.body import json_encode
from agents.providers.common.exchange import Exchange, Response
from agents.providers.common.http import http_client

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

# Without an explicit key the library would look for credentials of its own.
NO_KEY = "none"


class AnthropicMessagesClient:
    """A client for one base URL and key. Retries are off: deciding about them is not its part."""

    def __init__(self, model: ModelInfo) -> None:
        import anthropic

        self.sdk: AsyncAnthropic = anthropic.AsyncAnthropic(
            api_key=model.api_key or NO_KEY,
            base_url=base_url(model),
            max_retries=0,
            http_client=http_client(anthropic),
        )
        self._stream_cls: Any = anthropic.AsyncStream[object]

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return MessageExchange(self, request, signal).events()

    async def post(self, body: dict[str, Any], headers: dict[str, str]) -> Response:
        """Sends the body and returns the response with its body unread. Raises anthropic errors.

        Plain data in and out, for the same reason as with Chat Completions.
        """
        stream = await self.sdk.post(
            "/v1/messages",
            cast_to=object,
            content=json_encode(body),
            options={"headers": headers},
            stream=True,
            stream_cls=self._stream_cls,
        )
        response: Response = stream.response
        return response

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        with suppress(Exception):
            await self.sdk.close()


class Poster(Protocol):
    """Whatever sends a Messages body."""

    async def post(self, body: dict[str, Any], headers: dict[str, str]) -> Response:
        """Sends the body and returns the response with its body unread. May raise anything."""
        ...


class MessageExchange(Exchange):
    """One call."""

    def __init__(self, client: Poster, request: ModelRequest, signal: AbortSignal) -> None:
        super().__init__(request, signal)
        self._client = client

    def new_decoder(self) -> EventDecoder:
        """A decoder for a fresh answer."""
        return EventDecoder(self.request)

    async def open(self) -> Response:
        """Sends the request."""
        body = body_build(self.request)
        return await self._client.post(body, headers_build(self.request))
