"""The contract between the loop and whatever answers: requests in, a stream of events out.

A `ModelClient.stream` (and any `StreamFn` wrapped around it) never raises once it was called.
It yields events and ends with exactly one `Done` or `Failed`; each carries a complete
`AssistantMessage`, so that a half-finished answer is still a valid message. A `Failed` carries
a typed `ProviderError`; nobody matches its text again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, Message, ThinkingLevel, ToolCall


@dataclass(frozen=True, slots=True)
class PriceTier:
    """What all tokens of a call cost once its prompt has more than `above` tokens."""

    above: int
    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `known` is false when nobody stated a price.

    `tiers` are in ascending order; the highest that applies replaces every rate.
    """

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    known: bool = False
    tiers: tuple[PriceTier, ...] = ()

    def rates(self, prompt_tokens: int) -> Price | PriceTier:
        """The rates for a call whose prompt has this many tokens, cached ones included."""
        found: Price | PriceTier = self
        for tier in self.tiers:
            if prompt_tokens > tier.above:
                found = tier
        return found


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model of one provider, with everything a client needs to call it.

    `api_key` is a secret: it never appears in a repr, a log line or a stored request. `profile`
    names the credential that it came from (`env:openai`, the name of a row, "" for none).
    `timeout_seconds` is how long the service may be silent; 0 means as is usual for its address.
    """

    provider: str
    id: str
    api: str
    name: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    context_window: int = 128_000
    max_tokens: int = 8_192
    input: tuple[str, ...] = ("text",)
    reasoning: bool = False
    price: Price = Price()
    compat: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    timeout_seconds: float = 0.0
    profile: str = ""

    @property
    def ref(self) -> str:
        """The name people use: provider/model."""
        return f"{self.provider}/{self.id}"


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model sees it. `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model: the whole context, in our own form."""

    model: ModelInfo
    messages: Sequence[Message]
    system: str = ""
    tools: Sequence[ToolSchema] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    thinking: ThinkingLevel = "off"
    session_id: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """The service began to answer."""


@dataclass(frozen=True, slots=True)
class Restart:
    """What was shown of this answer is void: the call failed midway and is made again."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More visible text for the block at `index`."""

    index: int
    delta: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More reasoning for the block at `index`."""

    index: int
    delta: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A tool call is being written: raw JSON text. `name` is set as soon as it is known."""

    index: int
    id: str
    name: str
    delta: str


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """The call at `index` is complete and its arguments parsed."""

    index: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Done:
    """The answer is complete: `message.stop_reason` is stop, length or toolUse."""

    message: AssistantMessage


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer ended early: stop reason error or aborted, what had arrived is kept."""

    message: AssistantMessage
    error: ProviderError


ModelEvent = (
    Start | Restart | TextDelta | ThinkingDelta | ToolCallDelta | ToolCallEnd | Done | Failed
)

StreamFn = Callable[[ModelRequest, AbortSignal], AsyncIterator[ModelEvent]]


class ModelClient(Protocol):
    """One wire format. Bound to one event loop; `aclose` frees its connections."""

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        ...

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        ...
