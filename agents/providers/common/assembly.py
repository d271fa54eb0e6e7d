"""An answer put together from pieces, block by block in the order of arrival."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import uuid4

from agents.core.clean_text import clean_text
from agents.core.messages import AssistantBlock, Text, Thinking, ToolCall
from agents.core.model import (
    ModelEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolSchema,
)
from agents.providers.common.arguments import calls_parse


class HalfCharacters:
    """Joins characters beyond the basic plane that were cut into two deltas."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def push(self, delta: str) -> str:
        """What can be shown now; a half at the end waits for the other."""
        if not self._held and delta.isascii():
            return delta
        text = self._held + delta
        self._held = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            self._held, text = text[-1], text[:-1]
        return clean_text(text)

    def rest(self) -> str:
        """The replacement of a half whose other half never came, or nothing."""
        held, self._held = self._held, ""
        return clean_text(held)


@dataclass(slots=True)
class OpenBlock:
    """A block that is still growing. `index` is its place among the blocks."""

    index: int
    pieces: list[str] = field(default_factory=list)
    halves: HalfCharacters = field(default_factory=HalfCharacters)
    signature: str | None = None

    def push(self, delta: str) -> str:
        """Adds a delta and returns what of it can be shown."""
        shown = self.halves.push(delta)
        self.pieces.append(shown)
        return shown

    def whole(self) -> str:
        """All text so far."""
        self.pieces.append(self.halves.rest())
        return "".join(self.pieces)


class OpenText(OpenBlock):
    """Visible text."""

    def close(self) -> AssistantBlock:
        """The finished block."""
        return Text(self.whole(), self.signature)


@dataclass(slots=True)
class OpenThinking(OpenBlock):
    """Reasoning."""

    redacted: bool = False

    def close(self) -> AssistantBlock:
        """The finished block."""
        return Thinking(self.whole(), self.signature, self.redacted)


@dataclass(slots=True)
class OpenCall(OpenBlock):
    """A tool call; `id` and `name` may come late."""

    id: str = ""
    name: str = ""


B = TypeVar("B", OpenText, OpenThinking)


class Assembly:
    """The blocks of one answer. Methods that take a delta return the event to pass on, if any.

    Indexes are places in the final message, except after glued calls, which become several.
    """

    def __init__(self, tools: Sequence[ToolSchema]) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.blocks: list[OpenText | OpenThinking | OpenCall] = []
        self._fresh = False

    def text(self, delta: str) -> list[ModelEvent]:
        """More visible text."""
        if not delta:
            return []
        block = self._last(OpenText)
        shown = block.push(delta)
        return [TextDelta(block.index, shown)] if shown else []

    def thinking(self, delta: str, signature: str | None = None) -> list[ModelEvent]:
        """More reasoning. `signature` names where it came from, for replay."""
        if not delta:
            return []
        block = self._last(OpenThinking)
        block.signature = block.signature or signature
        shown = block.push(delta)
        return [ThinkingDelta(block.index, shown)] if shown else []

    def sign_thinking(self, signature: str) -> None:
        """Adds to the vendor's signature of the reasoning, which may come in pieces."""
        block = self._last(OpenThinking)
        block.signature = (block.signature or "") + signature

    def redacted_thinking(self, payload: str) -> None:
        """A block of reasoning that may not be shown."""
        block = OpenThinking(len(self.blocks), signature=payload, redacted=True)
        self.blocks.append(block)

    def part(self) -> None:
        """The next text or reasoning belongs to a block of its own."""
        self._fresh = True

    def begin_call(self, call_id: str, name: str) -> OpenCall:
        """A new tool call."""
        call = OpenCall(len(self.blocks), id=call_id, name=name)
        self.blocks.append(call)
        return call

    def call_delta(self, call: OpenCall, delta: str) -> list[ModelEvent]:
        """More of the arguments (JSON text) of `call`."""
        shown = call.push(delta) if delta else ""
        return [ToolCallDelta(call.index, call.id, call.name, shown)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing has arrived."""
        return not any(isinstance(b, OpenCall) or b.signature or any(b.pieces) for b in self.blocks)

    @property
    def has_calls(self) -> bool:
        """Whether a tool call was begun."""
        return any(isinstance(block, OpenCall) for block in self.blocks)

    def shown(self) -> tuple[AssistantBlock, ...]:
        """Text and reasoning so far, without any call: what a failed answer keeps."""
        closed = (block.close() for block in self.blocks if not isinstance(block, OpenCall))
        return tuple(block for block in closed if _has_content(block))

    def finish(self, *, ended: bool) -> tuple[AssistantBlock, ...]:
        """All blocks, calls parsed. `ended` as in `calls_parse`. Raises MalformedCallError."""
        content: list[AssistantBlock] = []
        used: set[str] = set()
        for block in self.blocks:
            if isinstance(block, OpenCall):
                content += self._calls(block, used, ended=ended)
            elif _has_content(closed := block.close()):
                content.append(closed)
        return tuple(content)

    def _calls(self, block: OpenCall, used: set[str], *, ended: bool) -> list[ToolCall]:
        found = calls_parse(block.name, block.whole(), self.tools, ended=ended)
        calls = []
        for name, arguments in found:
            call_id = block.id if block.id and block.id not in used else f"call_{uuid4().hex[:24]}"
            used.add(call_id)
            calls.append(ToolCall(call_id, name, arguments, block.signature))
        return calls

    def _last(self, kind: type[B]) -> B:
        """The block that is being written if it is of this kind, else a new one."""
        last = self.blocks[-1] if self.blocks else None
        redacted = isinstance(last, OpenThinking) and last.redacted
        if isinstance(last, kind) and not redacted and not self._fresh:
            return last
        self._fresh = False
        block = kind(len(self.blocks))
        self.blocks.append(block)
        return block


def _has_content(block: AssistantBlock) -> bool:
    if isinstance(block, Text):
        return bool(block.text)
    return not isinstance(block, Thinking) or bool(block.thinking or block.signature)


def call_ends(content: Sequence[AssistantBlock]) -> list[ModelEvent]:
    """The events that say which calls are complete."""
    return [ToolCallEnd(i, block) for i, block in enumerate(content) if isinstance(block, ToolCall)]
