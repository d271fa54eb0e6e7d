"""What plugins add to the prompt of a turn. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.core.messages import Message, Text, UserMessage
from agents.core.model import ModelRequest
from agents.hooks.merge import SEPARATOR


@dataclass(frozen=True, slots=True)
class PromptParts:
    """Texts around the system prompt and around the message that the turn answers.

    They are in what is sent, every time the turn asks a model, and never in the transcript.
    """

    system: str = ""
    prepend_system: str = ""
    append_system: str = ""
    prepend: str = ""
    append: str = ""

    def add(self, result: Mapping[str, Any]) -> PromptParts:
        """These parts and those of a hook's merged result. What is no text is left out."""
        return PromptParts(
            system=self.system or _text(result, "systemPrompt"),
            prepend_system=_joined(self.prepend_system, _text(result, "prependSystemContext")),
            append_system=_joined(self.append_system, _text(result, "appendSystemContext")),
            prepend=_joined(self.prepend, _text(result, "prependContext")),
            append=_joined(self.append, _text(result, "appendContext")),
        )

    def shape(self, request: ModelRequest, prompt: Message | None) -> ModelRequest:
        """The request with these parts in it; `prompt` is the message that the turn answers."""
        if self == _NOTHING:
            return request
        system = _joined(self.prepend_system, self.system or request.system, self.append_system)
        return replace(request, system=system, messages=self._around(request.messages, prompt))

    def _around(self, messages: Sequence[Message], prompt: Message | None) -> Sequence[Message]:
        if not self.prepend and not self.append:
            return messages
        index = _index(messages, prompt)
        if index is None:
            return messages
        message = messages[index]
        assert isinstance(message, UserMessage)  # noqa: S101 - _index gives no other
        if isinstance(message.content, str):
            changed = replace(message, content=_joined(self.prepend, message.content, self.append))
        else:
            before = (Text(self.prepend),) if self.prepend else ()
            after = (Text(self.append),) if self.append else ()
            changed = replace(message, content=(*before, *message.content, *after))
        return (*messages[:index], changed, *messages[index + 1 :])


_NOTHING = PromptParts()


def _index(messages: Sequence[Message], prompt: Message | None) -> int | None:
    """Where the prompt stands; the newest user message when it was rewritten on the way."""
    newest = None
    for index, message in enumerate(messages):
        if isinstance(message, UserMessage):
            if message is prompt or (prompt is not None and message == prompt):
                return index
            newest = index
    return newest


def _text(result: Mapping[str, Any], key: str) -> str:
    value = result.get(key)
    return value if isinstance(value, str) else ""


def _joined(*parts: str) -> str:
    return SEPARATOR.join(part for part in parts if part)
