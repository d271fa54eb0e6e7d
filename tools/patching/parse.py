"""Reads the text of a patch. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.core.errors import ToolError
from tools.patching.document import AddFile, DeleteFile, Hunk, Section, UpdateFile

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"
_HEADERS = (_ADD, _DELETE, _UPDATE)
# Line numbers as other programs' patches have them; they say nothing that is needed.
_NUMBERS = re.compile(r"-\d+(,\d+)? \+\d+(,\d+)?( @@.*)?")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


def parse_patch(text: str) -> list[Section]:
    """The sections of a patch in its own order, at least one.

    A here-document around the patch is taken off; one carriage return at line ends is too when
    the whole patch has them. Raises ToolError that names the line, counted from 1.
    """
    return _Parser(_body_lines(text)).sections()


def _body_lines(text: str) -> list[tuple[int, str]]:
    """The lines between the first and the last one of the envelope, with their numbers."""
    numbered = list(enumerate(text.split("\n"), 1))
    if any(line.endswith("\r") and line.startswith(_BEGIN) for _, line in numbered):
        numbered = [(number, line.removesuffix("\r")) for number, line in numbered]
    numbered = _without_heredoc(_trimmed(numbered))
    if not numbered or numbered[0][1].strip() != _BEGIN:
        raise ToolError(f"input: the first line must be '{_BEGIN}'.")
    if len(numbered) < 2 or numbered[-1][1].strip() != _END:
        raise ToolError(f"input: the last line must be '{_END}'.")
    return numbered[1:-1]


def _trimmed(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    while lines and not lines[0][1].strip():
        lines = lines[1:]
    while lines and not lines[-1][1].strip():
        lines = lines[:-1]
    return lines


def _without_heredoc(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    if len(lines) < 2:
        return lines
    found = _HEREDOC.search(lines[0][1])
    closed = found is not None and lines[-1][1].strip() == found[2]
    return _trimmed(lines[1:-1]) if closed else lines


class _Parser:
    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        self._lines = lines
        self._at = 0

    def sections(self) -> list[Section]:
        found: list[Section] = []
        while self._at < len(self._lines):
            number, line = self._lines[self._at]
            self._at += 1
            if line.strip():
                found.append(self._section(number, line))
        if not found:
            raise ToolError("input: the patch is empty; it names no file.")
        return found

    def _section(self, number: int, line: str) -> Section:
        plain = line.strip()
        for header in _HEADERS:
            if plain.startswith(header.rstrip()):
                path = plain[len(header.rstrip()) :].strip()
                if not path:
                    raise ToolError(f"input line {number}: a path is missing after '{plain}'.")
                return self._rest(header, path, number)
        raise ToolError(
            f"input line {number}: expected '*** Add File: path', '*** Delete File: path' or "
            f"'*** Update File: path', got {_short(line)}."
        )

    def _rest(self, header: str, path: str, number: int) -> Section:
        if header == _ADD:
            return AddFile(path, number, self._added())
        if header == _DELETE:
            return DeleteFile(path, number)
        return self._update(path, number)

    def _added(self) -> str:
        kept: list[str] = []
        while (ahead := self._ahead()) is not None:
            number, line = ahead
            if line.startswith("+"):
                kept.append(line[1:])
            elif line.strip():
                raise ToolError(
                    f"input line {number}: every line of a new file begins with '+', "
                    f"got {_short(line)}."
                )
            self._at += 1
        return "".join(line + "\n" for line in kept)

    def _update(self, path: str, number: int) -> UpdateFile:
        move_to = ""
        ahead = self._ahead()
        if ahead is not None and ahead[1].startswith(_MOVE.rstrip()):
            move_to = ahead[1][len(_MOVE.rstrip()) :].strip()
            if not move_to:
                raise ToolError(f"input line {ahead[0]}: a path is missing after '*** Move to:'.")
            self._at += 1
        hunks: list[Hunk] = []
        while (ahead := self._ahead()) is not None:
            if ahead[1].strip():
                hunks.append(self._hunk(len(hunks) + 1, path))
            else:
                self._at += 1
        if not hunks and not move_to:
            raise ToolError(f"input line {number}: the update of {path!r} changes nothing.")
        return UpdateFile(path, number, tuple(hunks), move_to)

    def _hunk(self, number: int, path: str) -> Hunk:
        first = self._lines[self._at][0]
        contexts = self._contexts()
        lines: list[tuple[str, str]] = []
        at_end = False
        while not at_end and (ahead := self._ahead()) is not None and not _opens(ahead[1]):
            self._at += 1
            at_end = ahead[1].rstrip() == _END_OF_FILE
            if not at_end:
                lines.append(_marked(ahead, number, path))
        # A line that is quite empty at the end of a hunk only sets it apart from the next.
        while lines and lines[-1] == ("", ""):
            lines.pop()
        if not lines:
            raise ToolError(f"input line {first}: hunk {number} of {path!r} has no lines.")
        marked = tuple((mark or " ", text) for mark, text in lines)
        return Hunk(number, first, contexts, marked, at_end)

    def _contexts(self) -> tuple[str, ...]:
        found: list[str] = []
        while (ahead := self._ahead()) is not None and _opens(ahead[1]):
            text = ahead[1][2:].removeprefix(" ")
            if text.strip() and not _NUMBERS.fullmatch(text.strip()):
                found.append(text)
            self._at += 1
        return tuple(found)

    def _ahead(self) -> tuple[int, str] | None:
        """The next line of this section, None where another one begins."""
        if self._at >= len(self._lines):
            return None
        number, line = self._lines[self._at]
        is_header = line.startswith(tuple(header.rstrip() for header in _HEADERS))
        return None if is_header else (number, line)


def _opens(line: str) -> bool:
    return line == "@@" or line.startswith("@@ ") or (line.startswith("@@") and not line.strip("@"))


def _marked(numbered: tuple[int, str], hunk: int, path: str) -> tuple[str, str]:
    number, line = numbered
    if line == "":
        return "", ""
    if line[0] in " +-":
        return line[0], line[1:]
    raise ToolError(
        f"input line {number}: in hunk {hunk} of {path!r} a line must begin with ' ', '+' or '-', "
        f"got {_short(line)}."
    )


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:60] + "…")
