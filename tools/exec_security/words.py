"""One word of a command line, read as bash, zsh and POSIX shells agree on it."""

from __future__ import annotations

from dataclasses import dataclass

# What ends a word outside of quotes.
BREAKS = frozenset(" \t\n;|&<>()")
_GLOB = frozenset("*?[")
_ESCAPED_IN_DOUBLE = frozenset('$`"\\')
# Special parameters whose value is a number.
_NUMBERS = frozenset("?$#")


class UnparsedError(Exception):
    """The text has something that is not read here; the message says what."""


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is the word after the removal of quotes, expansions kept as written; `raw` is as it
    was written. `literal`: a shell changes nothing in it. `splits`: it may become several words.
    """

    text: str
    raw: str
    literal: bool = True
    splits: bool = False

    @property
    def may_be_option(self) -> bool:
        """Whether it may turn out to begin with a dash."""
        if self.literal:
            return self.text.startswith("-")
        return self.splits or self.raw.lstrip("\"'")[:1] in "-$*?[\\~{"


def literal_word(text: str) -> Word:
    """A word that means exactly `text`."""
    return Word(text, "'" + text.replace("'", "'\\''") + "'")


class WordReader:
    """Reads the word that begins at a position of a text."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at
        self._parts: list[str] = []
        self._literal = True
        self._splits = False

    def read(self) -> tuple[Word, int]:
        """The word and the position behind it. Raises UnparsedError."""
        began, text = self._at, self._text
        while self._at < len(text) and text[self._at] not in BREAKS:
            self._piece(text[self._at])
        raw = text[began : self._at]
        word = "".join(self._parts)
        if raw.startswith(("~", "=")) or "=~" in raw or ":~" in raw:
            self._literal = False
        return Word(word, raw, self._literal, self._splits), self._at

    def _piece(self, character: str) -> None:
        if character == "'":
            self._single()
        elif character == '"':
            self._double()
        elif character == "\\":
            self._escape()
        elif character == "$":
            self._dollar(in_quotes=False)
        elif character == "`":
            raise UnparsedError("it has a command substitution in backticks")
        elif character == "{":
            self._brace()
        else:
            self._literal = self._literal and character not in _GLOB
            self._take(1)

    def _take(self, count: int) -> None:
        self._parts.append(self._text[self._at : self._at + count])
        self._at += count

    def _single(self) -> None:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise UnparsedError("a quote ' is not closed")
        self._parts.append(self._text[self._at + 1 : end])
        self._at = end + 1

    def _escape(self) -> None:
        if self._at + 1 >= len(self._text):
            raise UnparsedError("it ends with a backslash")
        following = self._text[self._at + 1]
        if following != "\n":
            self._parts.append(following)
        self._at += 2

    def _double(self) -> None:
        text = self._text
        self._at += 1
        while self._at < len(text):
            character = text[self._at]
            if character == '"':
                self._at += 1
                return
            if character == "`":
                raise UnparsedError("it has a command substitution in backticks")
            if character == "$":
                self._dollar(in_quotes=True)
            elif character == "\\" and text[self._at + 1 : self._at + 2] == "\n":
                self._at += 2
            elif character == "\\" and text[self._at + 1 : self._at + 2] in _ESCAPED_IN_DOUBLE:
                self._at += 1
                self._take(1)
            else:
                self._take(1)
        raise UnparsedError('a quote " is not closed')

    def _dollar(self, *, in_quotes: bool) -> None:
        text, at = self._text, self._at
        following = text[at + 1 : at + 2]
        if following == "(":
            raise UnparsedError("it has a command substitution")
        if following == "" or following in ('"\n ' if in_quotes else BREAKS):
            self._take(1)
            return
        if following == "'":
            raise UnparsedError("it has a text in $'…'")
        end = at + 2
        if following == "{":
            end = text.find("}", at)
            if end < 0 or not _is_name(text[at + 2 : end]):
                raise UnparsedError("it has an expansion in ${…}")
            end += 1
        elif _is_name(following):
            while end < len(text) and _is_name(text[at + 1 : end + 1]):
                end += 1
        elif following not in _NUMBERS:
            raise UnparsedError(f"it has an expansion ${following}")
        self._literal = False
        self._splits = self._splits or not in_quotes
        self._take(end - at)

    def _brace(self) -> None:
        if self._text[self._at : self._at + 2] != "{}":
            raise UnparsedError("it has braces")
        self._take(2)


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()
