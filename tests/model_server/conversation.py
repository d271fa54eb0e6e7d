"""Two request formats read into the one view that a script needs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

# Text that an agent adds to a user message by itself; a directive in it is nobody's wish.
_CONTEXT = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>", re.DOTALL
)
# Chat Completions has no place for images in a tool result, so clients send them as a user message.
_TOOL_IMAGES = "Images from the tool results above"


@dataclass
class Conversation:
    """The last user message, the tool results after it, the size of all messages in characters."""

    user: str = ""
    results: list[str] = field(default_factory=list)
    chars: int = 0

    def take_user(self, content: Any) -> None:
        """Starts a new question, unless the message holds nothing a person wrote."""
        text = _CONTEXT.sub("", text_of(content)).strip()
        if text and not text.startswith(_TOOL_IMAGES):
            self.user, self.results = text, []


def text_of(content: Any) -> str:
    """The text of a string or of a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def read_chat(body: dict[str, Any]) -> Conversation:
    """The view of a Chat Completions request."""
    messages = body.get("messages", [])
    conversation = Conversation(chars=len(json.dumps(messages)))
    for message in messages:
        if message.get("role") == "user":
            conversation.take_user(message.get("content"))
        elif message.get("role") == "tool":
            conversation.results.append(text_of(message.get("content")))
    return conversation


def read_messages(body: dict[str, Any]) -> Conversation:
    """The view of an Anthropic Messages request."""
    messages = body.get("messages", [])
    conversation = Conversation(chars=len(json.dumps(messages)))
    for message in messages:
        if message.get("role") != "user":
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        results = [part for part in parts if part.get("type") == "tool_result"]
        conversation.results += [text_of(part.get("content")) for part in results]
        conversation.take_user([p for p in parts if p.get("type") == "text"] or content)
    return conversation
