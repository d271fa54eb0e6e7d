"""Characters with which a command looks like another one."""

from __future__ import annotations

import unicodedata

# Cc, Cf, Co, Cs, Cn: control, format (zero width, direction), private, surrogate, unassigned.
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_PLAIN_SPACES = " \t\n"
# Letters and signs that are drawn as nothing: fillers of Hangul and the blank of Braille.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Letters of other scripts are names; forms that are compatible with ASCII are disguises.
_ASCII_END = 128


def strange_character(text: str) -> str:
    """Why `text` cannot be judged by what it looks like; "" when it can.

    Refused are invisible characters, spaces that no shell takes for one, and look-alikes of ASCII
    such as full-width letters. Line ends and tabs are plain.
    """
    if text.isascii() and text.isprintable():
        return ""
    for character in text:
        if why := _strange(character):
            return f"it contains {why} (U+{ord(character):04X})"
    return ""


def _strange(character: str) -> str:
    if character in _PLAIN_SPACES:
        return ""
    category = unicodedata.category(character)
    if character == "\0":
        return "a NUL byte"
    if character == "\r":
        return "a carriage return"
    if category in _INVISIBLE or character in _BLANK:
        return "an invisible character"
    if category.startswith("Z") and character != " ":
        return "a space that is none to a shell"
    if ord(character) < _ASCII_END:
        return ""
    plain = unicodedata.normalize("NFKC", character)
    if plain != character and plain.isascii():
        return f"a look-alike of {plain!r}"
    return ""
