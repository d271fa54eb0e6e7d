"""A tool result with its text cut, and a note that says how to get the rest. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.context.caps import text_capped
from agents.core.messages import Text, ToolResultMessage, UserBlock, blocks_text

# Under this name a result's details keep the stored file that holds its whole text.
STORED = "fullResult"


def result_cut(message: ToolResultMessage, limit: int) -> ToolResultMessage:
    """The result with at most about `limit` characters of text; the same object when it fits."""
    details = message.details or {}
    text, others = blocks_text(message.content), _others(message.content)
    cut = text_shortened(
        text,
        limit,
        tool=message.tool_name,
        is_error=message.is_error,
        stored=str(details.get(STORED) or ""),
    )
    return message if cut == text else replace(message, content=(Text(cut), *others))


def text_shortened(
    text: str, limit: int, *, tool: str = "", is_error: bool = False, stored: str = ""
) -> str:
    """`text` within `limit` characters and a note in place of what was left out.

    `stored` is the id under which `read_result` gives the whole text, "" for none. The note comes
    on top of the limit; it never stands inside a character or a word.
    """
    parts = text_capped(text, limit, tool=tool, is_error=is_error)
    if parts is None:
        return text
    if stored:
        how = f'The whole text is stored: read_result {{"id": "{stored}", "offset": {parts.next}}}.'
    else:
        how = "Ask for less at once (an offset, a limit, a narrower search) to see more."
    note = f"[{parts.left_out:,} of {parts.total:,} characters were left out here. {how}]"
    return "\n".join(part for part in (parts.head.rstrip("\n"), note, parts.tail) if part)


def stored_in(details: Mapping[str, Any] | None) -> str:
    """The id of the file with a result's whole text, "" when it was stored as it is."""
    return str((details or {}).get(STORED) or "")


def _others(content: tuple[UserBlock, ...]) -> tuple[UserBlock, ...]:
    return tuple(block for block in content if not isinstance(block, Text))
