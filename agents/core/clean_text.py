"""Text and JSON values that every store can hold.

A lone surrogate cannot be encoded as UTF-8 (JSON writers refuse it) and PostgreSQL refuses the
NUL character in text and JSON; both come from models and from the output of commands. JSON
writers also refuse integers beyond 64 bits, and stores refuse NaN and infinity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.core.messages import Text, UserBlock

REPLACEMENT = "\ufffd"
INTEGERS = range(-(2**63), 2**64)  # what a JSON writer of 64 bits can hold


def clean_text(text: str) -> str:
    """`text` with lone surrogates and NUL replaced by U+FFFD. Split surrogate pairs are joined.

    Returns the same object when there is nothing to replace.
    """
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_json(value: Any) -> Any:
    """A copy of `value` that is valid JSON with every text cleaned, keys too.

    Tuples become lists, NaN and infinity null, integers beyond 64 bits and objects of any other
    type their text: what is only for logs must never stop a message from being stored.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return _clean_scalar(value)


def _clean_scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value in INTEGERS else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return clean_text(str(value))


def clean_blocks(content: tuple[UserBlock, ...]) -> tuple[UserBlock, ...]:
    """The same blocks with their text cleaned; the same object when there is nothing to do."""
    cleaned = tuple(_clean_block(block) for block in content)
    return content if all(map(_same, cleaned, content)) else cleaned


def _clean_block(block: UserBlock) -> UserBlock:
    if not isinstance(block, Text):
        return block
    text = clean_text(block.text)
    return block if text is block.text else replace(block, text=text)


def _same(left: UserBlock, right: UserBlock) -> bool:
    return left is right
