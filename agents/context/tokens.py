"""How many tokens something takes: a guess from its length, corrected by what services report.

The rule of thumb is the reference's (four characters a token, 1,200 tokens an image); characters
of Chinese, Japanese and Korean count as one token each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import orjson

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    UserBlock,
)
from agents.core.model import ToolSchema
from agents.core.transcript import is_broken

CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1_200
# Kana, CJK ideographs with their extensions, Hangul, full-width forms.
_WIDE = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)


def text_tokens(text: str) -> int:
    """The tokens of a text, rounded up."""
    chars = len(text)
    if text.isascii():
        return -(-chars // CHARS_PER_TOKEN)
    wide = sum(map(len, _WIDE.findall(text)))
    return wide - (-(chars - wide) // CHARS_PER_TOKEN)


def message_tokens(message: Message) -> int:
    """The tokens of one message with everything that is sent of it."""
    content = message.content
    if isinstance(content, str):
        return text_tokens(content)
    return sum(map(_block_tokens, content))


def messages_tokens(messages: Iterable[Message]) -> int:
    """The tokens of many messages together."""
    return sum(map(message_tokens, messages))


def overhead_tokens(system: str, tools: Sequence[ToolSchema]) -> int:
    """The tokens of what goes before the messages: system prompt and tool list."""
    schemas = sum(
        text_tokens(tool.name) + text_tokens(tool.description) + _json_tokens(tool.parameters)
        for tool in tools
    )
    return text_tokens(system) + schemas


def reported_tokens(messages: Sequence[Message], *, since: int = 0) -> tuple[int, int]:
    """The size of the context as the newest answer's service reported it, and the index behind
    that answer; (0, 0) when none did.

    Failed and aborted answers do not count, nor those of before `since` (milliseconds since the
    epoch): what was sent then has been compacted meanwhile.
    """
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if not isinstance(message, AssistantMessage) or is_broken(message):
            continue
        if message.timestamp <= since:
            break
        if message.usage.total > 0:
            return message.usage.total, index + 1
    return 0, 0


def context_tokens(
    messages: Sequence[Message],
    *,
    system: str = "",
    tools: Sequence[ToolSchema] = (),
    since: int = 0,
) -> int:
    """The tokens that a request with these messages takes.

    What the newest answer reported plus an estimate of what came after it; without a report all
    of it is estimated.
    """
    reported, behind = reported_tokens(messages, since=since)
    if reported:
        return reported + messages_tokens(messages[behind:])
    return overhead_tokens(system, tools) + messages_tokens(messages)


def _block_tokens(block: UserBlock | AssistantBlock) -> int:
    if isinstance(block, Text):
        return text_tokens(block.text)
    if isinstance(block, Thinking):
        return text_tokens(block.thinking)
    if isinstance(block, Image):
        return IMAGE_TOKENS
    return text_tokens(block.name) + _json_tokens(block.arguments)


def _json_tokens(value: object) -> int:
    written = orjson.dumps(value, default=dict, option=orjson.OPT_NON_STR_KEYS)
    # Of CJK text every character takes three bytes and one token, of ASCII four bytes make one.
    return -(-len(written) // CHARS_PER_TOKEN)
