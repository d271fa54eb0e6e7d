"""Reasoning and final tags that a model writes into its text, taken out of the stream.

What stood between think tags becomes ThinkingDelta and Thinking blocks, like the reasoning of
services that keep it apart. `compat.enforceFinalTag` says that only `<final>` text is the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from agents.core.abort import AbortSignal
from agents.core.messages import AssistantBlock, AssistantMessage, Text, Thinking, ToolCall
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelRequest,
    Restart,
    StreamFn,
    TextDelta,
    ThinkingDelta,
)
from agents.core.think_tags import Piece, ThinkTags, tags_split
from agents.providers.wrappers.context import WrapperContext, closing

ENFORCE_FINAL = "enforceFinalTag"


def think_tags(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream` without tags: text, reasoning and the message at the end tell the same."""

    async def run(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        enforce = bool(request.model.compat.get(ENFORCE_FINAL))
        blocks = _Blocks(enforce)
        async with closing(stream(request, signal)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    if blocks.is_plain(event):
                        yield event
                        continue
                    for piece in blocks.take(event):
                        yield piece
                elif isinstance(event, Done | Failed):
                    message = message_split(event.message, enforce_final=enforce)
                    for piece in blocks.end(message):
                        yield piece
                    yield event if message is event.message else replace(event, message=message)
                else:
                    if isinstance(event, Restart):
                        blocks = _Blocks(enforce)
                    yield event

    return run


class _Blocks:
    """The filters of the text blocks of one answer."""

    def __init__(self, enforce_final: bool) -> None:
        self._enforce = enforce_final
        self._filters: dict[int, ThinkTags] = {}
        self._index = -1
        self._current: ThinkTags | None = None

    def is_plain(self, event: TextDelta) -> bool:
        """Whether the piece can be passed on as it is; the filter has noted it then."""
        tags = self._current
        if tags is None or event.index != self._index or not tags.is_plain or "<" in event.delta:
            return False
        tags.feed(event.delta)
        return True

    def take(self, event: TextDelta) -> Iterator[ModelEvent]:
        """The events for a piece of text."""
        if event.index != self._index:
            # What is held back must come before the text of another block.
            yield from self._finish()
            self._index = event.index
            self._current = self._filters.setdefault(
                event.index, ThinkTags(enforce_final=self._enforce)
            )
        if self._current is not None:
            yield from _events(self._index, self._current.feed(event.delta))

    def end(self, message: AssistantMessage) -> Iterator[ModelEvent]:
        """The events that are left at the end, so that all together say what `message` says."""
        yield from self._finish()
        if message.text.strip() and not any(tags.has_words for tags in self._filters.values()):
            yield from _events(max(self._index, 0), [Piece("text", message.text)])

    def _finish(self) -> Iterator[ModelEvent]:
        if self._current is not None:
            yield from _events(self._index, self._current.flush(alone=False))


def _events(index: int, pieces: list[Piece]) -> Iterator[ModelEvent]:
    for piece in pieces:
        make = TextDelta if piece.kind == "text" else ThinkingDelta
        yield make(index, piece.text)


def message_split(message: AssistantMessage, *, enforce_final: bool = False) -> AssistantMessage:
    """`message` with its tags turned into blocks; the same object when it has none.

    A reply whose tag was never closed keeps what it says only when nothing else would remain: no
    other text, no tool call, and it ended by itself.
    """
    texts = [block.text for block in message.content if isinstance(block, Text)]
    if not texts or not (enforce_final or any("<" in text for text in texts)):
        return message
    alone = message.stop_reason == "stop" and not message.tool_calls and len(texts) == 1
    content: list[AssistantBlock] = []
    for block in message.content:
        content += (
            [block]
            if isinstance(block, Thinking | ToolCall)
            else _split(block, enforce_final=enforce_final, alone=alone)
        )
    return (
        message if tuple(content) == message.content else replace(message, content=tuple(content))
    )


def _split(block: Text, *, enforce_final: bool, alone: bool) -> list[AssistantBlock]:
    said, thought = tags_split(block.text, enforce_final=enforce_final, alone=alone)
    if said == block.text and not thought:
        return [block]
    found: list[AssistantBlock] = []
    if thought.strip():
        found.append(Thinking(thought.strip()))
    if said:
        # A vendor's signature would be for the text with the tags.
        found.append(Text(said))
    return found
