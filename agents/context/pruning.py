"""Old tool results made smaller in what is sent. Pure; the stored transcript never changes.

A pruning takes place whenever the conversation rested for longer than a service keeps a prompt in
its cache: then everything has to be read anew anyhow. What it changed stays changed until the next
such rest, because it follows from the time stamps of the messages alone, so that requests in
between have the same beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from agents.context.tokens import CHARS_PER_TOKEN
from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    ToolResultMessage,
    UserMessage,
    blocks_text,
)

IMAGE_NOTE = "[An image stood here.]"
_IMAGE_CHARS = 4_800


@dataclass(frozen=True, slots=True)
class PruningRules:
    """When and how much is pruned (runtime.md 3.9 has the defaults). Ratios are of the window in
    characters, `ttl` is in seconds.
    """

    ttl: float = 300.0
    keep_last_assistants: int = 3
    soft_ratio: float = 0.3
    hard_ratio: float = 0.5
    min_prunable_chars: int = 50_000
    max_chars: int = 4_000
    head_chars: int = 1_500
    tail_chars: int = 1_500
    clears: bool = True
    placeholder: str = "[Old tool result content cleared]"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pruned:
    """The messages to send, and the indices of the results that were trimmed and cleared."""

    messages: Sequence[Message]
    trimmed: tuple[int, ...] = ()
    cleared: tuple[int, ...] = ()


def pruned(messages: Sequence[Message], rules: PruningRules, *, window: int) -> Pruned:
    """`messages` with old tool results trimmed or cleared; `window` is in tokens.

    Never changes its input, the number of messages, or their order.
    """
    rested = _last_rest(messages, rules.ttl)
    if not rested:
        return Pruned(messages)
    work = _Work(messages, rested, rules, window * CHARS_PER_TOKEN)
    work.trim()
    work.clear()
    if not work.changed:
        return Pruned(messages)
    result = list(messages)
    for index, message in work.changed.items():
        result[index] = message
    return Pruned(result, tuple(sorted(work.trimmed)), tuple(sorted(work.cleared)))


def result_trimmed(message: ToolResultMessage, rules: PruningRules) -> ToolResultMessage:
    """The result with only the head and the tail of its text, and images named."""
    text = blocks_text(message.content)
    notes = [IMAGE_NOTE for block in message.content if isinstance(block, Image)]
    if len(text) > rules.max_chars:
        head, tail = text[: rules.head_chars], text[len(text) - rules.tail_chars :]
        note = f"[Shortened: the first {rules.head_chars} and the last {rules.tail_chars} of "
        text = f"{head}\n…\n{tail}\n{note}{len(text)} characters.]"
    return replace(message, content=(Text("\n".join([text, *notes])),))


def result_cleared(message: ToolResultMessage, rules: PruningRules) -> ToolResultMessage:
    """The result with the placeholder in place of everything it held."""
    return replace(message, content=(Text(rules.placeholder),))


def _last_rest(messages: Sequence[Message], ttl: float) -> int:
    """The index of the newest message that came after a rest of `ttl`; 0 when none did."""
    for index in range(len(messages) - 1, 0, -1):
        if messages[index].timestamp - messages[index - 1].timestamp >= ttl * 1000:
            return index
    return 0


def _chars(message: Message) -> int:
    if isinstance(message.content, str):
        return len(message.content)
    total = 0
    for block in message.content:
        if isinstance(block, Text):
            total += len(block.text)
        elif isinstance(block, Image):
            total += _IMAGE_CHARS
        else:
            total += len(str(block))
    return total


@dataclass(slots=True)
class _Work:
    messages: Sequence[Message]
    rested: int
    rules: PruningRules
    window_chars: int
    changed: dict[int, ToolResultMessage] = field(default_factory=dict)
    trimmed: set[int] = field(default_factory=set)
    cleared: set[int] = field(default_factory=set)
    total: int = 0
    candidates: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = sum(map(_chars, self.messages[: self.rested]))
        first = next(
            (i for i, m in enumerate(self.messages) if isinstance(m, UserMessage)), self.rested
        )
        self.candidates = [
            index
            for index in range(first, self._safe_from())
            if isinstance(message := self.messages[index], ToolResultMessage)
            and self._may(message.tool_name)
        ]

    def _safe_from(self) -> int:
        """The index from which nothing is touched: the last answers before the rest."""
        left = self.rules.keep_last_assistants
        if left <= 0:
            return self.rested
        for index in range(self.rested - 1, -1, -1):
            if isinstance(self.messages[index], AssistantMessage):
                left -= 1
                if left == 0:
                    return index
        return 0

    def _may(self, name: str) -> bool:
        rules, lower = self.rules, name.lower()
        if any(fnmatchcase(lower, pattern.lower()) for pattern in rules.deny):
            return False
        return not rules.allow or any(fnmatchcase(lower, p.lower()) for p in rules.allow)

    def _result(self, index: int) -> ToolResultMessage:
        message = self.changed.get(index) or self.messages[index]
        if not isinstance(message, ToolResultMessage):
            raise TypeError("only tool results are pruned")
        return message

    def _put(self, index: int, message: ToolResultMessage) -> None:
        self.total += _chars(message) - _chars(self._result(index))
        self.changed[index] = message

    def trim(self) -> None:
        """Shortens oversized results, oldest first, while much of the window is taken."""
        for index in self.candidates:
            if self.total < self.window_chars * self.rules.soft_ratio:
                return
            message = self._result(index)
            if _chars(message) > self.rules.max_chars:
                self._put(index, result_trimmed(message, self.rules))
                self.trimmed.add(index)

    def clear(self) -> None:
        """Empties whole results, oldest first, while still more of it is taken."""
        limit = self.window_chars * self.rules.hard_ratio
        prunable = sum(_chars(self._result(index)) for index in self.candidates)
        if not self.rules.clears or prunable < self.rules.min_prunable_chars:
            return
        for index in self.candidates:
            if self.total <= limit:
                return
            self._put(index, result_cleared(self._result(index), self.rules))
            self.trimmed.discard(index)
            self.cleared.add(index)
