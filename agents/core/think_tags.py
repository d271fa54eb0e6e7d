"""Parts reasoning that a model writes between tags from its answer, while the text streams.

Tags: `<think>`, `<thinking>`, `<thought>`, `<antthinking>`, each also with the prefix `antml:`,
and `<final>`; in any case, with attributes, cut anywhere by the stream (runtime.md 13). Inside
code spans and fences they are text. What comes out depends on the text alone, never on how it was
cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["text", "thinking"]

# Nobody writes longer ones; a "<" is never held back for more characters than this.
LONGEST_TAG = 256
NAMES = ("think", "thinking", "thought", "antthinking", "final")

_TAG = re.compile(
    r"<\s*(?P<close>/?)\s*(?:antml:)?(?P<name>think|thinking|thought|antthinking|final)"
    r"(?:\s[^<>]*?)?(?P<empty>/?)\s*>",
    re.IGNORECASE,
)
_BEGUN = re.compile(r"<\s*/?\s*(?P<name>[a-z:]*)(?P<rest>[\s/][^<>]*)?\Z", re.IGNORECASE)
_WRITTEN = tuple(prefix + name for name in NAMES for prefix in ("", "antml:"))
_OPENS_LINE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?[ \t]*")
_LINE_BEGUN = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)]?)?[ \t]*(?:`*|~*)\Z")
_FENCE_END = re.compile(r"[ \t>]*(?P<run>`{3,}|~{3,})[ \t]*\r?\Z")
# An empty line or a fence ends a paragraph, and with it whatever span was not closed.
_PARAGRAPH_END = re.compile(r"\n[ \t]*\r?\n|\n[ \t>]*(?:```|~~~)")
_RUN = re.compile(r"`+|~+")
_LESS_THAN = re.compile(r"<")
_INTERESTING = re.compile(r"[`<\n]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text of one kind. Neighbours may be of the same kind."""

    kind: PieceKind
    text: str


class ThinkTags:
    """The filter for one text. With `enforce_final` only what stands in `<final>` is visible.

    Until a `<` comes, text is handed through untouched. Never raises.
    """

    def __init__(self, *, enforce_final: bool = False) -> None:
        self._enforce = enforce_final
        self._seen: list[str] | None = None if enforce_final else []
        self._text = ""  # what is not settled yet; _at and _out are places in it
        self._at = 0  # parsed up to here
        self._out = 0  # handed out up to here
        self._before = ""  # the character before it
        self._sought = 0  # where the search for the end of a code span goes on
        self._is_line_start = True
        self._fence = ""
        self._depth = 0
        self._finals = 0
        self._had_final = False
        self._had_tag = False
        self._has_words = False
        self._last = "\n"
        self._unclosed: list[str] = []
        self._outside: list[str] = []
        self._pieces: list[Piece] = []

    @property
    def is_plain(self) -> bool:
        """Whether no `<` has come yet, so that text without one needs no filter."""
        return self._seen is not None

    @property
    def has_words(self) -> bool:
        """Whether anything but white space was visible so far."""
        return self._has_words or any(not part.isspace() for part in self._seen or () if part)

    @property
    def leftover(self) -> str:
        """After `flush`: what was hidden only because a tag was never closed, or because the
        text has no `<final>` at all. It is the answer when there is no other."""
        if self._depth:
            return "".join(self._unclosed).strip()
        return "" if self._had_final else "".join(self._outside).strip()

    def feed(self, text: str) -> list[Piece]:
        """Takes the next part of the text; returns what is certain by now."""
        if self._seen is not None:
            if "<" not in text:
                self._seen.append(text)
                return [Piece("text", text)] if text else []
            self._leave_plain()
        self._text += text
        return self._run(is_end=False)

    def flush(self, *, alone: bool = True) -> list[Piece]:
        """The text is complete; returns the rest. When nothing was visible, the leftover follows
        as text, unless the answer has other parts (`alone` False)."""
        if self._seen is not None:
            return []
        pieces = self._run(is_end=True)
        if alone and not self._has_words and (rest := self.leftover):
            pieces.append(Piece("text", rest))
        return pieces

    def _leave_plain(self) -> None:
        """The first `<`: from here on the code around it matters, also what came before."""
        self._text = "".join(self._seen or ())
        self._seen = None
        self._out = len(self._text)
        self._has_words = bool(self._text.strip())
        self._last = self._text[-1:] or "\n"

    def _run(self, *, is_end: bool) -> list[Piece]:
        while self._at < len(self._text):
            if not self._step(is_end):
                break
        if is_end:
            self._hand_out(len(self._text))
        self._out = max(self._out, self._at)
        settled = min(self._at, self._out)
        if settled:
            self._before = self._text[settled - 1]
        self._text = self._text[settled:]
        self._at -= settled
        self._out -= settled
        self._sought = max(0, self._sought - settled)
        pieces, self._pieces = self._pieces, []
        return pieces

    def _step(self, is_end: bool) -> bool:
        """Parses one element. False: it takes more text to tell what it is."""
        if self._fence:
            return self._fence_line(is_end)
        if self._is_line_start and not self._depth:
            return self._line_start(is_end)
        found = (_LESS_THAN if self._depth else _INTERESTING).search(self._text, self._at)
        if found is None:
            return self._advance(len(self._text))
        self._advance(found.start())
        if found[0] == "\n":
            self._is_line_start = True
            return self._advance(found.end())
        return self._tag(is_end) if found[0] == "<" else self._code_span(is_end)

    def _advance(self, at: int) -> bool:
        """Everything up to `at` is what it looks like."""
        self._at = at
        self._hand_out(at)
        return True

    def _wait(self) -> bool:
        """Hands out what is text in any case: all up to what may be a tag."""
        at = max(self._at, self._out)
        while (at := self._text.find("<", at)) != -1 and not _may_be_tag(self._text, at):
            at += 1
        self._hand_out(len(self._text) if at == -1 else at)
        return False

    def _hand_out(self, until: int) -> None:
        if until <= self._out:
            return
        text = self._text[self._out : until]
        self._out = until
        if self._depth:
            self._unclosed.append(text)
            self._pieces.append(Piece("thinking", text))
        elif self._enforce and not self._finals:
            self._outside.append(text)
            self._pieces.append(Piece("thinking", text))
        else:
            self._hand_out_visible(text)

    def _hand_out_visible(self, text: str) -> None:
        if not self._has_words and (self._had_tag or self._enforce):
            # The empty lines behind reasoning are no part of the answer.
            text = text.lstrip()
        if text:
            self._has_words = self._has_words or not text.isspace()
            self._last = text[-1]
            self._pieces.append(Piece("text", text))

    def _line_start(self, is_end: bool) -> bool:
        """Looks for a fence."""
        prefix = _OPENS_LINE.match(self._text, self._at)
        start = prefix.end() if prefix else self._at
        char = self._text[start : start + 1]
        run = _run_end(self._text, start)
        if _LINE_BEGUN.match(self._text, self._at) and not is_end:
            return self._wait()
        self._is_line_start = False
        if run - start < 3:
            return True
        end = self._text.find("\n", run)
        if char == "`":
            # A fence's first line has no other backtick; with one it is a code span.
            if "`" in self._text[run : end if end != -1 else None]:
                return True
            if end == -1 and not is_end:
                self._is_line_start = True
                return self._wait()
        self._fence = char * (run - start)
        return self._fence_rest()

    def _fence_rest(self) -> bool:
        """Hands out the current line of a fence as far as it is there."""
        end = self._text.find("\n", self._at)
        if end == -1:
            self._hand_out(len(self._text))
            self._is_line_start = False
            return False
        self._is_line_start = True
        return self._advance(end + 1)

    def _fence_line(self, is_end: bool) -> bool:
        start = self._at
        end = self._text.find("\n", start)
        if end == -1:
            self._hand_out(len(self._text))
            return False
        closing = _FENCE_END.match(self._text[start:end]) if self._is_line_start else None
        if closing and closing["run"].startswith(self._fence):
            self._fence = ""
        self._is_line_start = True
        return self._advance(end + 1)

    def _code_span(self, is_end: bool) -> bool:
        """A run of backticks: with its like in the same paragraph it makes a span."""
        start, run = self._at, _run_end(self._text, self._at)
        if run == len(self._text) and not is_end:
            return self._wait()
        border = _PARAGRAPH_END.search(self._text, max(run, self._sought))
        limit = border.start() if border else len(self._text)
        closing = self._closing_run(run, run - start, limit)
        if closing and (closing < len(self._text) or is_end):
            self._sought = 0
            return self._advance(closing)
        if border or is_end:
            self._sought = 0
            return self._advance(run)
        self._sought = _settled_end(self._text, max(run, self._sought))
        return self._wait()

    def _closing_run(self, run: int, length: int, limit: int) -> int:
        """The end of the next run of exactly `length` backticks before `limit`, or 0."""
        at = max(run, self._sought)
        while (at := self._text.find("`", at, limit)) != -1:
            end = _run_end(self._text, at)
            if end - at == length:
                return end
            at = end
        return 0

    def _tag(self, is_end: bool) -> bool:
        tag = _TAG.match(self._text, self._at, self._at + LONGEST_TAG)
        if tag is None:
            begun = _may_be_tag(self._text, self._at)
            if begun and not is_end:
                return False
            if begun == "named":
                # The text was cut within a tag: nobody meant to say the half of it.
                self._at = self._out = len(self._text)
                return True
            return self._advance(self._at + 1)
        if self._depth and (self._text[self._at - 1] if self._at else self._before) == "`":
            # Reasoning is careless with backticks; only a tag right between two is a word.
            if tag.end() == len(self._text) and not is_end:
                return False
            if self._text.startswith("`", tag.end()):
                return self._advance(tag.end())
        self._at = self._out = tag.end()
        self._had_tag = True
        if not tag["empty"]:
            self._enter_or_leave(tag["name"].lower(), is_close=bool(tag["close"]))
        self._is_line_start = self._last == "\n" or not self._has_words
        return True

    def _enter_or_leave(self, name: str, *, is_close: bool) -> None:
        step = -1 if is_close else 1
        if name == "final":
            self._had_final = True
            if not self._depth:
                self._finals = max(0, self._finals + step)
            return
        if is_close or not self._depth:
            # What stands behind the last closed tag is the likelier answer.
            self._unclosed.clear()
        self._depth = max(0, self._depth + step)


def _run_end(text: str, start: int) -> int:
    """Where the run of backticks or tildes at `start` ends; `start` when there is none."""
    run = _RUN.match(text, start)
    return run.end() if run else start


def _settled_end(text: str, low: int) -> int:
    """Where the end of `text` begins that may yet become part of a run or a border."""
    end = max(low, len(text.rstrip("`")))
    newline = text.rfind("\n", low)
    if newline != -1 and not text[newline:].strip(" \t\r\n>`~"):
        return min(end, newline)
    return end


def _may_be_tag(text: str, start: int) -> Literal["", "begun", "named"]:
    """Whether a tag stands at `start`, whole or begun; "named" when its name is there."""
    if _TAG.match(text, start, start + LONGEST_TAG):
        return "named"
    if len(text) - start >= LONGEST_TAG:
        return ""
    begun = _BEGUN.match(text, start)
    if begun is None:
        return ""
    name = begun["name"].lower()
    if name in _WRITTEN:
        return "named"
    is_begun = begun["rest"] is None and any(known.startswith(name) for known in _WRITTEN)
    return "begun" if is_begun else ""


def tags_split(text: str, *, enforce_final: bool = False, alone: bool = True) -> tuple[str, str]:
    """The visible text and the reasoning of a whole text, as the filter gives them.

    What `flush` gives back for want of an answer is no reasoning any more.
    """
    tags = ThinkTags(enforce_final=enforce_final)
    pieces = tags.feed(text)
    pieces += tags.flush(alone=False)
    said, thought = joined(pieces, "text"), joined(pieces, "thinking")
    if alone and not said.strip() and (rest := tags.leftover):
        return rest, thought.rstrip().removesuffix(rest)
    return said, thought


def joined(pieces: Iterable[Piece], kind: PieceKind) -> str:
    """The text of all pieces of one kind."""
    return "".join(piece.text for piece in pieces if piece.kind == kind)
