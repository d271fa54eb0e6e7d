"""What is answered, before it is put into a wire format."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

from tests.model_server.conversation import Conversation
from tests.model_server.script import Script

_ids = itertools.count(1)


def next_id() -> int:
    """A number that this process has not used before."""
    return next(_ids)


@dataclass
class Call:
    """A tool call of the scripted model."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass
class Answer:
    """One answer. `gap` is the pause between words in seconds, `usage` is (in, out)."""

    words: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    think: str | None = None
    gap: float = 0.0
    usage: tuple[int, int] = (10, 2)

    @property
    def text(self) -> str:
        """All words."""
        return "".join(self.words)


def words_of(text: str) -> list[str]:
    """The text in pieces, each a word with the space behind it."""
    return re.findall(r"\S+\s*|\s+", text)


def answer_build(script: Script, conversation: Conversation, default: str) -> Answer:
    """The answer that the script wants at this point of the conversation."""
    calls = _calls(script, len(conversation.results))
    words = [] if calls else _words(script, conversation, default)
    usage = script.usage or (max(1, conversation.chars // 4), max(1, len(words)))
    think = None if conversation.results else script.think
    return Answer(words, calls, think, script.gap, usage)


def _calls(script: Script, results: int) -> list[Call]:
    if script.parallel:
        pending = [] if results else script.tools
    else:
        pending = script.tools[results : results + 1]
    return [Call(f"call_{next_id():06d}", name, arguments) for name, arguments in pending]


def _words(script: Script, conversation: Conversation, default: str) -> list[str]:
    if script.tokens is not None:
        return [f"tok{number} " for number in range(script.tokens)]
    if script.tools and script.final is not None:
        return words_of(script.final)
    if script.tools and script.text is None:
        return words_of("tool said: " + "".join(conversation.results[-1:]))
    return words_of(default if script.text is None else script.text)
