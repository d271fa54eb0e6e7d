"""Messages that wait for a running agent."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Literal

from agents.core.messages import Message

DrainMode = Literal["one-at-a-time", "all"]


class MessageQueue:
    """First in, first out. `mode` says how many messages one `take` gives."""

    def __init__(self, mode: DrainMode = "one-at-a-time") -> None:
        self.mode: DrainMode = mode
        self._waiting: deque[Message] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, message: Message) -> None:
        """Adds one message at the end."""
        self._waiting.append(message)

    def clear(self) -> None:
        """Forgets everything that waits."""
        self._waiting.clear()

    async def take(self) -> Sequence[Message]:
        """The next message, or all of them, by mode; empty when nothing waits."""
        count = min(1, len(self)) if self.mode == "one-at-a-time" else len(self)
        return [self._waiting.popleft() for _ in range(count)]
