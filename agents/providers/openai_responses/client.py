"""Responses over whichever transport the model asks for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import structlog

from agents.core.abort import AbortSignal
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.common.exchange import Exchange, Response
from agents.providers.failures import provider_error
from agents.providers.openai_responses.events import EventDecoder
from agents.providers.openai_responses.request import (
    DEFAULT_TRANSPORT,
    body_build,
    headers_build,
    transport_name,
)
from agents.providers.openai_responses.sse import SseTransport
from agents.providers.openai_responses.transports import (
    TRANSPORTS,
    Transport,
    TransportUnavailableError,
)

log = structlog.get_logger(__name__)


class OpenAIResponsesClient:
    """A client for one base URL and key. Retries are off: deciding about them is not its part."""

    def __init__(self, model: ModelInfo) -> None:
        self._model = model
        posts = SseTransport(model)
        self.sdk = posts.sdk
        self._transports: dict[str, Transport] = {DEFAULT_TRANSPORT: posts}
        # Ways that were closed while the service itself could be reached.
        self.closed_ways: set[str] = set()

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return ResponseExchange(self, request, signal).events()

    async def send(self, name: str, body: dict[str, Any], headers: dict[str, str]) -> Response:
        """Sends the body by the transport `name`, by POST when that way is closed.

        A way is remembered as closed once POST got through in its place. Raises ProviderError and
        openai errors.
        """
        if name == DEFAULT_TRANSPORT or name in self.closed_ways:
            return await self._transports[DEFAULT_TRANSPORT].send(body, headers)
        try:
            return await self._transport(name).send(body, headers)
        except TransportUnavailableError as error:
            log.warning("transport_unavailable", transport=name, error=str(error))
        response = await self._transports[DEFAULT_TRANSPORT].send(body, headers)
        self.closed_ways.add(name)
        return response

    def _transport(self, name: str) -> Transport:
        if name not in TRANSPORTS:
            known = ", ".join(TRANSPORTS.names())
            text = f'unknown transport "{name}"; set compat.transport to one of: {known}'
            raise provider_error(self._model, text, reason="format")
        if name not in self._transports:
            self._transports[name] = TRANSPORTS.get(name)(self._model)
        return self._transports[name]

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        for transport in self._transports.values():
            await transport.aclose()


class ResponseExchange(Exchange):
    """One call."""

    def __init__(
        self, client: OpenAIResponsesClient, request: ModelRequest, signal: AbortSignal
    ) -> None:
        super().__init__(request, signal)
        self._client = client

    def new_decoder(self) -> EventDecoder:
        """A decoder for a fresh answer."""
        return EventDecoder(self.request)

    async def open(self) -> Response:
        """Sends the request."""
        body = body_build(self.request)
        headers = headers_build(self.request)
        return await self._client.send(transport_name(self.request), body, headers)
