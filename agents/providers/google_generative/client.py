"""The Gemini API over plain HTTP; the library is imported when a client is made."""

from __future__ import annotations

from collections.abc import AsyncIterator

from agents.core.abort import AbortSignal
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.common.exchange import Exchange, Response
from agents.providers.common.plain_http import PlainClient
from agents.providers.google_generative.chunks import ChunkDecoder
from agents.providers.google_generative.request import body_build, headers_build, request_url


class GoogleGenerativeClient:
    """A client for one base URL and key. Nothing is sent twice: deciding that is not its part."""

    def __init__(self, model: ModelInfo) -> None:
        self.http = PlainClient()

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return GenerateExchange(self.http, request, signal).events()

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        await self.http.aclose()


class GenerateExchange(Exchange):
    """One call."""

    def __init__(self, http: PlainClient, request: ModelRequest, signal: AbortSignal) -> None:
        super().__init__(request, signal)
        self._http = http

    def new_decoder(self) -> ChunkDecoder:
        """A decoder for a fresh answer."""
        return ChunkDecoder(self.request)

    async def open(self) -> Response:
        """Sends the request."""
        model = self.request.model
        body = body_build(self.request)
        return await self._http.post(request_url(model), body, headers_build(model), model)
