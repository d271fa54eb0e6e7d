"""The `openai` library for single requests; imported when first used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from agents.core.model import ModelInfo
from agents.providers.common.http import http_client

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_BASE_URL = "https://api.openai.com/v1"
# The library insists on a key; services close by need none and ignore this.
NO_KEY = "none"


@asynccontextmanager
async def openai_client(model: ModelInfo) -> AsyncIterator[AsyncOpenAI]:
    """A client for the address and key of `model`, closed at the end. Nothing is sent twice.

    Media are made once in a while and take seconds, so no connection is kept.
    """
    import openai

    client = openai.AsyncOpenAI(
        api_key=model.api_key or NO_KEY,
        base_url=model.base_url or DEFAULT_BASE_URL,
        max_retries=0,
        default_headers=dict(model.headers),
        http_client=http_client(openai),
    )
    try:
        yield client
    finally:
        with suppress(Exception):
            await client.close()
