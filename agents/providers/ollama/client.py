"""Ollama over plain HTTP; the library is imported when a client is made."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.common.exchange import Exchange, Response
from agents.providers.common.plain_http import PlainClient
from agents.providers.ollama.chunks import ChunkDecoder
from agents.providers.ollama.lines import LineReader
from agents.providers.ollama.request import body_build, headers_build, request_url


class OllamaClient:
    """A client for one base URL. Nothing is sent twice but for `think`, see ChatExchange."""

    def __init__(self, model: ModelInfo) -> None:
        self.http = PlainClient()

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return ChatExchange(self.http, request, signal).events()

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        await self.http.aclose()


class ChatExchange(Exchange):
    """One call, sent again without a level of thinking when the model knows none.

    Which models know levels is not announced; the refusal comes before any work.
    """

    def __init__(self, http: PlainClient, request: ModelRequest, signal: AbortSignal) -> None:
        super().__init__(request, signal)
        self._http = http
        self._think: dict[str, Any] = {}

    def new_decoder(self) -> ChunkDecoder:
        """A decoder for a fresh answer."""
        return ChunkDecoder(self.request)

    def new_reader(self) -> LineReader:
        """The body is JSON lines."""
        return LineReader(self.decoder)

    async def open(self) -> Response:
        """Sends the request."""
        model = self.request.model
        body = body_build(self.request) | self._think
        sent = {name: value for name, value in body.items() if value is not None}
        return await self._http.post(request_url(model), sent, headers_build(model), model)

    def retry_refused(self, error: ProviderError) -> bool:
        """A level becomes plain "yes"; a model that cannot think is not told anything."""
        if error.http_status != 400 or self._think or not self.request.model.reasoning:
            return False
        text = error.message.lower()
        if "think value" in text:
            self._think = {"think": True}
        elif "does not support thinking" in text:
            self._think = {"think": None}
        return bool(self._think)
