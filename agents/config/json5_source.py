"""Reads JSON5, refusing keys that stand twice, and notes the line of every path."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pyjson5
from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.plain import MAX_DEPTH

_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<punctuation>[{}\[\]:,])
    |(?P<word>[^\s{}\[\]:,"'/]+)""",
    re.VERBOSE | re.DOTALL,
)
_NEAR = re.compile(r" ?(?:starting )?near (\d+)")


def json5_read(text: str, findings: Findings) -> tuple[Any, dict[Path, int]]:
    """The value and the line of each path. Problems are noted; the value is None then."""
    try:
        value = pyjson5.decode(text, MAX_DEPTH)
    except pyjson5.Json5DecoderException as error:
        line, message = _explained(str(error.args[0]), text)
        findings.error_at(line, _("not valid JSON5: %(reason)s") % {"reason": message})
        return None, {}
    scanner = _Scanner(text)
    scanner.run()
    for path, line in scanner.twice:
        findings.error_at(line, _("this key stands twice in one object"), path)
    return value, scanner.lines


def _explained(message: str, text: str) -> tuple[int, str]:
    match = _NEAR.search(message)
    offset = int(match[1]) if match else len(text)
    reason = _NEAR.sub("", message).replace("b'", "'")
    return text.count("\n", 0, max(offset - 1, 0)) + 1, reason


@dataclass(slots=True)
class _Frame:
    """An object or array that is open. `step` is where in it the scanner is."""

    path: Path
    is_object: bool
    step: str | int | None
    keys: set[str] = field(default_factory=set)


class _Scanner:
    """Walks the tokens of text that is known to be valid JSON5."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._frames: list[_Frame] = []
        self._line = 1
        self.lines: dict[Path, int] = {}
        self.twice: list[tuple[Path, int]] = []

    def run(self) -> None:
        for match in _TOKEN.finditer(self._text):
            word = match[0]
            if match.lastgroup == "punctuation":
                self._mark(word)
            elif match.lastgroup != "space":
                self._word(word)
            self._line += word.count("\n")

    def _mark(self, mark: str) -> None:
        if mark in "{[":
            self._value()
            path = self._here()
            self._frames.append(_Frame(path, mark == "{", None if mark == "{" else 0))
        elif mark in "}]":
            self._frames.pop()
        elif mark == ",":
            frame = self._frames[-1]
            frame.step = frame.step + 1 if isinstance(frame.step, int) else None

    def _word(self, word: str) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is None or not frame.is_object or frame.step is not None:
            self._value()
            return
        frame.step = key = _key(word)
        path = self._here()
        if key in frame.keys:
            self.twice.append((path, self._line))
        frame.keys.add(key)
        self.lines[path] = self._line

    def _value(self) -> None:
        """A value begins; that of an array's item is where its path is found."""
        if self._frames and not self._frames[-1].is_object:
            self.lines.setdefault(self._here(), self._line)

    def _here(self) -> Path:
        if not self._frames:
            return ()
        frame = self._frames[-1]
        return frame.path if frame.step is None else (*frame.path, frame.step)


def _key(word: str) -> str:
    """The key as text; a bare word may hold escapes, which only a decoder understands."""
    if word[0] in "\"'":
        return str(pyjson5.decode(word))
    return str(next(iter(pyjson5.decode("{" + word + ":0}"))))
