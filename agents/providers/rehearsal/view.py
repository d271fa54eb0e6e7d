"""What the rehearsal model sees of a conversation, and what it may do next."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.core.messages import (
    AssistantMessage,
    Image,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    blocks_text,
    user_text,
)
from agents.core.model import ModelRequest


@dataclass(frozen=True, slots=True)
class Step:
    """The next answer: text, tool calls (name, arguments), or text and then calls."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


@dataclass(slots=True)
class View:
    """The last request of the user and what was done about it since."""

    request: ModelRequest
    asked: str = ""
    images: int = 0
    results: list[ToolResultMessage] = field(default_factory=list)

    @classmethod
    def of(cls, request: ModelRequest) -> View:
        """The view of a model request. User messages in a row count as one."""
        view, in_user = cls(request), False
        for message in request.messages:
            if isinstance(message, UserMessage):
                if not in_user:
                    view = cls(request)
                view._take(message)
            elif isinstance(message, ToolResultMessage):
                view.results.append(message)
            in_user = isinstance(message, UserMessage)
        return view

    def _take(self, message: UserMessage) -> None:
        self.asked = f"{self.asked}\n{user_text(message)}".strip()
        if not isinstance(message.content, str):
            self.images += sum(isinstance(block, Image) for block in message.content)

    @property
    def steps(self) -> int:
        """How many tool results there are since the user spoke."""
        return len(self.results)

    @property
    def failed(self) -> bool:
        """Whether the last tool answered with an error."""
        return bool(self.results) and self.results[-1].is_error

    @property
    def output(self) -> str:
        """The text of the last tool result."""
        return blocks_text(self.results[-1].content).strip() if self.results else ""

    def call(self, name: str, arguments: Mapping[str, Any], text: str = "") -> Step:
        """A step that calls one tool."""
        return self.call_all((name, arguments), text=text)

    def call_all(self, *calls: tuple[str, Mapping[str, Any]], text: str = "") -> Step:
        """A step that calls tools together, or says which of them are not there."""
        offered = {tool.name for tool in self.request.tools}
        missing = [f"`{name}`" for name, _ in calls if name not in offered]
        if missing:
            names = ", ".join(f"`{tool.name}`" for tool in self.request.tools) or "none at all"
            there = f"The tools of this agent are: {names}."
            return Step(f"For this I need {' and '.join(missing)}, which I do not have. {there}")
        return Step(text, calls)

    def call_id(self, number: int) -> str:
        """An id for the `number`-th call of this answer that the session has not used.

        The count of calls alone could repeat once a history is shortened, so the time of the
        last message goes in. The same request always gives the same id.
        """
        messages = self.request.messages
        count = sum(len(m.tool_calls) for m in messages if isinstance(m, AssistantMessage)) + number
        last = messages[-1].timestamp if messages else 0
        mark = f"{self.request.session_id}:{len(messages)}:{last}:{count}"
        return f"rehearsal_{count}_{hashlib.sha256(mark.encode()).hexdigest()[:8]}"

    def tool_calls(self, step: Step) -> list[ToolCall]:
        """The calls of a step with their ids."""
        return [
            ToolCall(self.call_id(number), name, dict(arguments))
            for number, (name, arguments) in enumerate(step.calls, 1)
        ]
