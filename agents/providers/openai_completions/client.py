"""Chat Completions through the `openai` library, which is imported when a client is made."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from agents.core.abort import AbortSignal
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.common.body import json_encode
from agents.providers.common.exchange import Exchange, Response
from agents.providers.common.http import http_client
from agents.providers.openai_completions.chunks import ChunkDecoder
from agents.providers.openai_completions.compat import Compat, base_url, compat_for
from agents.providers.openai_completions.request import body_build, headers_build

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# The library insists on a key; local services need none and ignore this.
NO_KEY = "none"


class OpenAICompletionsClient:
    """A client for one base URL and key. Retries are off: deciding about them is not its part."""

    def __init__(self, model: ModelInfo) -> None:
        import openai

        self.sdk: AsyncOpenAI = openai.AsyncOpenAI(
            api_key=model.api_key or NO_KEY,
            base_url=base_url(model),
            max_retries=0,
            http_client=http_client(openai),
        )
        self._stream_cls: Any = openai.AsyncStream[object]
        # Models whose streams were seen to lose tool calls; they are asked without streaming.
        self.whole_only: set[str] = set()

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return PostExchange(self, request, signal).events()

    async def post(self, body: dict[str, Any], headers: dict[str, str]) -> Response:
        """Sends the body and returns the response with its body unread. Raises openai errors.

        The typed `create()` walks every message and builds a model per chunk; with a body and
        events as plain data a call costs a thirtieth of that in a long session.
        """
        stream = await self.sdk.post(
            "/chat/completions",
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


class Backend(Protocol):
    """Whatever sends a Chat Completions body and remembers whose streams lose tool calls."""

    whole_only: set[str]


class CompletionExchange(Exchange):
    """One call, asked again without streaming when a stream seems to have lost a tool call.

    `whole` says that it is asked without streaming now.
    """

    def __init__(self, backend: Backend, request: ModelRequest, signal: AbortSignal) -> None:
        super().__init__(request, signal)
        self._backend = backend
        self.compat: Compat = compat_for(request.model)
        self.whole = request.model.id in backend.whole_only

    def new_decoder(self) -> ChunkDecoder:
        """A decoder for a fresh answer."""
        return ChunkDecoder(self.request)

    def _final(self) -> list[ModelEvent]:
        events = super()._final()
        if self.whole and self.decoder.assembly.has_calls:
            self._backend.whole_only.add(self.request.model.id)
        return events

    def retry_finished(self) -> bool:
        """Some backends stream nothing and "stop" where the whole answer has a tool call."""
        decoder = self.decoder
        properly = decoder.stop in ("stop", "toolUse") and decoder.failure is None
        lost = properly and decoder.assembly.is_empty and bool(self.request.tools)
        if self.whole or not lost or not self.compat.may_lose_calls:
            return False
        self.whole = True
        return True


class PostExchange(CompletionExchange):
    """One call through `OpenAICompletionsClient`."""

    def __init__(
        self, client: OpenAICompletionsClient, request: ModelRequest, signal: AbortSignal
    ) -> None:
        super().__init__(client, request, signal)
        self._client = client

    async def open(self) -> Response:
        """Sends the request."""
        body = body_build(self.request, self.compat, stream=not self.whole)
        return await self._client.post(body, headers_build(self.request, self.compat))
