# ruff: noqa: RUF001 - characters that can be mistaken for others are what this is about
"""Reduces text to how it looks: one letter for all that can be taken for it. Pure.

Used to find words that somebody wrote so that programs miss them and readers do not. It covers
the compatibility forms of Unicode (full-width, mathematical, circled …), accents, characters that
are not seen, and the letters of other scripts that look like Latin ones (Unicode TR 39).
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# Look-alikes in lower case, by the character that they are taken for.
_LOOKS_LIKE: dict[str, str] = {
    "a": "аαᴀɑᎪꓮꭺ",
    "b": "вьβʙᏼꓐ",
    "c": "сϲᴄᏟⅽᑕꓚⲥ",
    "d": "ԁᴅꭰᎠⅾᗞꓓđ",
    "e": "еεᴇꭼᎬєҽꓰⲉɛǝ",
    "g": "ԍɡɢցᏀ",
    "h": "нһʜհᎻꓧ",
    "i": "іιıɩꭵᎥꓲ",
    "k": "кκᴋᏦꓗ",
    "l": "ӏʟᏞⅼ|ꓡłꮮ",
    "m": "мᴍᎷⅿꓟ",
    "n": "пηɴոᴎꓠ",
    "o": "оοσᴏօ0ꓳⲟᎾꮎø𐐄𐐬",
    "p": "рρᴘᏢꓑ",
    "r": "гʀᎡᏒᴦꓣ",
    "s": "ѕꜱᏚꓢ",
    "t": "тτᴛᎢꓔⲧ",
    "u": "υᴜսʋцսꓴ𐓎𐓶",
    "v": "νᴠѵᏙⅴꓦ",
    "x": "хχ×ⅹꓫ",
    "y": "уγʏүყꓬ",
    "z": "ᴢᏃꓜ",
    "<": "‹〈⟨❮❰⟪《«˂ᐸ≪⧼",
    ">": "›〉⟩❯❱⟫》»˃ᐳ≫⧽",
    "[": "【〔⟦",
    "]": "】〕⟧",
    ":": "ː։׃∶꞉",
    "|": "ǀ∣❘",
    "_": "‗",
    "-": "‐‑‒–—−",
}
_SAME = {ord(other): taken for taken, others in _LOOKS_LIKE.items() for other in others.lower()} | {
    ord(other): taken for taken, others in _LOOKS_LIKE.items() for other in others
}
# Greek capitals that look like other letters than their small forms do.
_SAME |= {ord("Ν"): "n", ord("Η"): "h", ord("Υ"): "y"}
# Letters in dark circles and squares, and those that flags are made of.
_SAME |= {
    first + number: letter
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
}
# An upright line and a zero are themselves at least as often.
for _own in "|0":
    del _SAME[ord(_own)]
# Whatever ends a line somewhere.
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))
_UNSEEN = frozenset({"Mn", "Me", "Cf"})
_HANGUL_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text; `places` has for each of its characters the place in the original."""

    text: str
    places: Sequence[int]

    def before(self, place: int) -> int:
        """Where the original goes on behind the character before `place` of the folded text."""
        return self.places[place - 1] + 1 if place else 0

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        """Begin and end in the original of what `match`, not empty, found in the folded text."""
        return self.places[match.start()], self.places[match.end() - 1] + 1


def fold(text: str) -> Folded:
    """`text` as it looks, in lower case. Characters that are not seen are left out.

    Backslashes too: in Markdown they only say that the next character is no mark.
    """
    if text.isascii() and "\\" not in text:
        return Folded(text.translate(_LINE_ENDS).lower(), range(len(text)))
    pieces: list[str] = []
    places = array("Q")
    for place, character in enumerate(text):
        piece = _fold_character(character)
        pieces.append(piece)
        places.extend([place] * len(piece))
    return Folded("".join(pieces), places)


@lru_cache(maxsize=8_192)
def _fold_character(character: str) -> str:
    if character in _HANGUL_FILLERS or character == "\\":
        return ""
    plain = unicodedata.normalize("NFKD", character).translate(_LINE_ENDS).translate(_SAME)
    plain = plain.lower().translate(_SAME)
    return "".join(part for part in plain if unicodedata.category(part) not in _UNSEEN)
