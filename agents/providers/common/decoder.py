"""What one wire format makes of an answer: the part that differs between vendors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from agents.core.errors import ProviderReason
from agents.core.messages import StopReason, Usage
from agents.core.model import ModelEvent, ModelRequest
from agents.providers.common.assembly import Assembly


class Decoder(ABC):
    """What one wire format makes of the decoded events of one answer.

    `ended` is true once the format's end mark came, `stop` once a stop reason did. `failure` is
    set when the service itself said that the answer is no good.
    """

    def __init__(self, request: ModelRequest) -> None:
        self.request = request
        self.assembly = Assembly(request.tools)
        self.ended = False
        self.stop: StopReason | None = None
        self.failure: tuple[str, ProviderReason] | None = None
        self.usage: Usage | None = None
        self.response_id: str | None = None
        self.response_model: str | None = None

    @abstractmethod
    def feed(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes one event."""

    @abstractmethod
    def feed_whole(self, data: dict[str, Any]) -> list[ModelEvent]:
        """Takes an answer that came in one piece."""
