"""Words of notes and of questions, in all scripts. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

from agents.memory.chunks import is_wide

_STOP_WORDS = Path(__file__).with_name("stopwords.txt")
_PLAIN = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def words_of(text: str) -> list[str]:
    """The words of `text` in order, small and without accents.

    Wide scripts have no blanks between words: of them every two neighbours are a word, a single
    one is one by itself.
    """
    if text.isascii():
        return _PLAIN.findall(text.lower())
    plain = unicodedata.normalize("NFKC", text).lower()
    found: list[str] = []
    for match in _WORD.finditer(plain):
        found.extend(_split(match[0]))
    return found


def keywords_of(question: str) -> list[str]:
    """The words of a question that say what is sought, each once; all words when none does."""
    words = list(dict.fromkeys(words_of(question)))
    idle = _stop_words()
    telling = [word for word in words if word not in idle]
    return telling or words


@cache
def _stop_words() -> frozenset[str]:
    """Words that say nothing of what is sought, in the languages that people here write."""
    return frozenset(words_of(_STOP_WORDS.read_text(encoding="utf-8")))


def index_text(text: str) -> str:
    """`text` as the full-text index gets it: words with blanks between them."""
    return " ".join(words_of(text))


def _split(word: str) -> list[str]:
    if not any(map(is_wide, word)):
        return [_unaccented(word)]
    found: list[str] = []
    for run in re.findall(_RUNS, word):
        if not is_wide(run[0]):
            found.append(_unaccented(run))
        elif len(run) == 1:
            found.append(run)
        else:
            found.extend(run[at : at + 2] for at in range(len(run) - 1))
    return found


def _unaccented(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    return "".join(c for c in apart if not unicodedata.combining(c)) or word


_WIDE_CLASS = "\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_RUNS = re.compile(f"[{_WIDE_CLASS}]+|[^{_WIDE_CLASS}]+")
