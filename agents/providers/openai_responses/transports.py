"""How a request reaches the service and its events come back, by name.

Every transport takes the same body and gives the same bytes (server-sent events), so nothing
above it knows which one it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from agents.core.model import ModelInfo
from agents.core.registry import Registry
from agents.providers.common.exchange import Response


class TransportUnavailableError(Exception):
    """This way to the service is closed; nothing was answered, and another way may be open."""


class Transport(Protocol):
    """One way to one service. Bound to one event loop."""

    async def send(self, body: dict[str, Any], headers: Mapping[str, str]) -> Response:
        """Sends a request and gives its answer, unread.

        Raises TransportUnavailableError, ProviderError, or what the library under it raises.
        """
        ...

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        ...


TransportFactory = Callable[[ModelInfo], Transport]

TRANSPORTS: Registry[TransportFactory] = Registry("transport")
TRANSPORTS.register("sse", "agents.providers.openai_responses.sse:SseTransport")
TRANSPORTS.register("websocket", "agents.providers.openai_responses.socket:SocketTransport")
