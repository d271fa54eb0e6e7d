"""A wire format, and a wrapper of model calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents.core.messages import AssistantMessage, Text, user_text
from agents.core.model import Done, TextDelta


class Echo:
    """A model that says what it was told."""

    def __init__(self, model: Any) -> None:
        self._model = model

    async def stream(self, request: Any, signal: Any) -> AsyncIterator[Any]:
        """The events of one call."""
        text = f"You said: {user_text(request.messages[-1])}"
        yield TextDelta(0, text)
        model = request.model
        yield Done(AssistantMessage((Text(text),), provider=model.provider, model=model.id))

    async def aclose(self) -> None:
        """Nothing was opened."""


def quiet(stream: Any, context: Any) -> Any:
    """A wrapper that changes nothing; it could look at each event that passes."""

    async def run(request: Any, signal: Any) -> AsyncIterator[Any]:
        async for event in stream(request, signal):
            yield event

    return run
