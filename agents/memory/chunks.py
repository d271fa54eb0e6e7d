"""Cutting notes into pieces that are found and shown one by one. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

# runtime.md 11: tokens of a chunk, and of what two neighbours share.
TOKENS = 400
OVERLAP = 80
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `start` to `end` of a file, counted from 1. A line that is too long is cut in pieces,
    which then have the same line."""

    start: int
    end: int
    text: str

    @property
    def digest(self) -> str:
        """Names the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def is_wide(character: str) -> bool:
    """Whether the character is one of Chinese, Japanese or Korean, which hold a word or a half."""
    return (
        "\u2e80" <= character <= "\u9fff"
        or "\uac00" <= character <= "\ud7ff"
        or ("\uf900" <= character <= "\ufaff" or "\U00020000" <= character <= "\U0003ffff")
    )


def tokens_of(text: str) -> int:
    """About how many tokens `text` takes: a wide character counts as one, four others as one."""
    wide = sum(map(is_wide, text))
    return wide + (len(text) - wide + _CHARS_PER_TOKEN - 1) // _CHARS_PER_TOKEN


def chunks_of(text: str, *, tokens: int = TOKENS, overlap: int = OVERLAP) -> list[Chunk]:
    """The pieces of `text`, each of whole lines and at most `tokens` long, in order.

    Neighbours share lines of about `overlap` tokens. A heading begins a new piece when the one
    before is half full. Every line that is not blank is in a piece; blank text has none.
    """
    found: list[Chunk] = []
    held: list[tuple[int, str, int]] = []
    for number, line, size in _lines(text, tokens):
        full = sum(one[2] for one in held)
        heading = line.startswith("#") and full >= tokens // 2
        if held and (full + size > tokens or heading):
            found.append(_chunk(held))
            held = [] if heading else _carried(held, overlap, tokens - size)
        held.append((number, line, size))
    if held:
        found.append(_chunk(held))
    return [chunk for chunk in found if chunk.text.strip()]


def _lines(text: str, tokens: int) -> Iterator[tuple[int, str, int]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if tokens_of(line) + 1 <= tokens:
            yield number, line, tokens_of(line) + 1
            continue
        # A character is a token at most, so a piece of this many characters fits.
        step = tokens - 1
        for at in range(0, len(line), step):
            piece = line[at : at + step]
            yield number, piece, tokens_of(piece) + 1


def _carried(
    held: list[tuple[int, str, int]], overlap: int, room: int
) -> list[tuple[int, str, int]]:
    """The lines at the end that the next piece begins with."""
    size, at = 0, len(held)
    while at > 1 and size + held[at - 1][2] <= min(overlap, room):
        at -= 1
        size += held[at][2]
    return held[at:]


def _chunk(held: list[tuple[int, str, int]]) -> Chunk:
    return Chunk(held[0][0], held[-1][0], "\n".join(line for _number, line, _size in held))
