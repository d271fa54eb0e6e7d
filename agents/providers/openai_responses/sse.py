"""A POST for every answer, through the `openai` library, imported when the transport is made."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agents.core.model import ModelInfo
from agents.providers.common.body import json_encode
from agents.providers.common.exchange import Response
from agents.providers.common.http import http_client
from agents.providers.openai_responses.request import base_url

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# The library insists on a key; local services need none and ignore this.
NO_KEY = "none"


class SseTransport:
    """Plain data in and out, for the same reason as with Chat Completions. Retries are off."""

    def __init__(self, model: ModelInfo) -> None:
        import openai

        self.sdk: AsyncOpenAI = openai.AsyncOpenAI(
            api_key=model.api_key or NO_KEY,
            base_url=base_url(model),
            max_retries=0,
            http_client=http_client(openai),
        )
        self._stream_cls: Any = openai.AsyncStream[object]

    async def send(self, body: dict[str, Any], headers: Mapping[str, str]) -> Response:
        """The response with its body unread. Raises openai errors."""
        stream = await self.sdk.post(
            "/responses",
            cast_to=object,
            content=json_encode({**body, "stream": True}),
            options={"headers": dict(headers)},
            stream=True,
            stream_cls=self._stream_cls,
        )
        response: Response = stream.response
        return response

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        with suppress(Exception):
            await self.sdk.close()
