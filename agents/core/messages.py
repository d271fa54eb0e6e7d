"""The conversation as values: content blocks, messages, usage.

The JSON form (`message_to_json`, `message_from_json`) has the same field names as the
reference transcript (roles user, assistant, toolResult; camelCase keys), so an imported
transcript reads and writes back without loss. Everything here is immutable.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

StopReason = Literal["stop", "length", "toolUse", "error", "aborted"]
ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"]


def now_ms() -> int:
    """The wall clock in milliseconds since the epoch, as messages carry it."""
    return int(time.time() * 1000)


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text. `signature` is opaque vendor data, replayed only to the same model."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning the model shows. When `redacted`, `signature` holds the opaque payload."""

    thinking: str
    signature: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """An image as base64 `data` (no data: prefix) with its MIME type."""

    data: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request of the model to run one tool. `arguments` is always a JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    thought_signature: str | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """Money for one model call, in US dollars. All zero when the price is unknown."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0

    @property
    def total(self) -> float:
        """The sum of the four parts, in US dollars."""
        return self.input + self.output + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one model call. `input` leaves cached tokens out.

    `estimated` is true when the vendor reported nothing and the numbers were guessed from
    text length.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: Cost = Cost()
    estimated: bool = False

    @property
    def total(self) -> int:
        """All tokens of the call, cached ones included."""
        return self.input + self.output + self.cache_read + self.cache_write


UserBlock = Text | Image
AssistantBlock = Text | Thinking | ToolCall


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What a person (or an event in a person's place) said."""

    content: str | tuple[UserBlock, ...]
    timestamp: int = field(default_factory=now_ms)
    role: Literal["user"] = "user"


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One complete answer of a model, also when it failed or was cut short."""

    content: tuple[AssistantBlock, ...]
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = Usage()
    stop_reason: StopReason = "stop"
    error_message: str | None = None
    response_id: str | None = None
    response_model: str | None = None
    timestamp: int = field(default_factory=now_ms)
    role: Literal["assistant"] = "assistant"

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in source order."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))

    @property
    def text(self) -> str:
        """The visible text: text blocks joined, thinking and calls left out."""
        return "".join(block.text for block in self.content if isinstance(block, Text))


@dataclass(frozen=True, slots=True)
class ToolResultMessage:
    """What a tool gave back. `details` is for logs and pages and is never sent to a model."""

    tool_call_id: str
    tool_name: str
    content: tuple[UserBlock, ...]
    is_error: bool = False
    details: Mapping[str, Any] | None = None
    timestamp: int = field(default_factory=now_ms)
    role: Literal["toolResult"] = "toolResult"


Message = UserMessage | AssistantMessage | ToolResultMessage


def user_text(message: UserMessage) -> str:
    """The text of a user message, blocks joined by newlines, images left out."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in message.content if isinstance(block, Text))


def blocks_text(content: Sequence[UserBlock]) -> str:
    """The text blocks of a tool result or user message, joined by newlines."""
    return "\n".join(block.text for block in content if isinstance(block, Text))
