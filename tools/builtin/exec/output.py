"""Gathers what a command prints within fixed memory, and makes readable text of it."""

from __future__ import annotations

import re

# The reference's limit for the output of one command, in characters.
MOST_CHARACTERS = 200_000
# Characters of the end that details and live updates show; the reference's number.
TAIL_CHARACTERS = 2_000

# Room for the mark between the two halves.
_HALF = MOST_CHARACTERS // 2 - 100
# Bytes kept of either end: enough for _HALF characters of four bytes each.
_KEPT_BYTES = 4 * (MOST_CHARACTERS // 2)
# A cut moves up to this far to fall between two lines.
_CUT_SLACK = 2_000

_ANSI = re.compile(
    r"\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[PX^_][^\x1b\n]{0,4096}(?:\x1b\\)?"  # device strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[ -/]*[0-~]"  # character sets, modes
)
_OVERSTRUCK = re.compile("[^\n]\x08")
_BROKEN = re.compile("\ufffd{2,}")
# Control characters other than tab and newline, both ranges.
_NO_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])


class Output:
    """What a command printed: its beginning and its end, however much it was."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Takes the next bytes. Memory stays below 2 MB."""
        room = _KEPT_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * _KEPT_BYTES:
            surplus = len(self._tail) - _KEPT_BYTES
            self._dropped += surplus
            del self._tail[:surplus]

    def leave_out(self, count: int) -> None:
        """Notes that so many bytes are no longer to be had; at least the end is still to come."""
        if count:
            self._dropped += count + len(self._tail)
            self._tail.clear()

    def text(self) -> str:
        """All of it, at most 200,000 characters; a mark says what was left out."""
        if not self._dropped:
            return _shortened(clean_output(bytes(self._head + self._tail)))
        head, tail = clean_output(self._whole_head()), clean_output(self._whole_tail())
        kept_head, kept_tail = head[: _head_cut(head)], tail[_tail_cut(tail) :]
        return f"{kept_head}\n\n[… about {self._dropped:,} bytes left out …]\n\n{kept_tail}"

    def tail(self) -> str:
        """The last 2,000 characters."""
        end = bytes(self._tail[-4 * TAIL_CHARACTERS :])
        if len(end) < 4 * TAIL_CHARACTERS:
            end = bytes(self._head[-4 * TAIL_CHARACTERS :]) + end
        return clean_output(end)[-TAIL_CHARACTERS:]

    # Where bytes were dropped a line is cut, perhaps inside a character or an escape sequence.

    def _whole_head(self) -> bytes:
        end = self._head.rfind(b"\n", len(self._head) - _CUT_SLACK)
        return bytes(self._head[:end] if end >= 0 else self._head)

    def _whole_tail(self) -> bytes:
        end = self._tail.find(b"\n", 0, _CUT_SLACK)
        return bytes(self._tail[end + 1 :])


def clean_output(data: bytes) -> str:
    """Readable text: no colours, no control characters, no NUL bytes, no runs of broken bytes.

    A carriage return counts as a line end, so nothing a progress bar printed is lost.
    """
    text = data.decode("utf-8", "replace")
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", text)
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_NO_CONTROLS)
    return _BROKEN.sub("\ufffd", text)


def _shortened(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    head, tail = text[: _head_cut(text)], text[_tail_cut(text) :]
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n\n[… {left_out:,} characters left out …]\n\n{tail}"


def _head_cut(text: str) -> int:
    if len(text) <= _HALF:
        return len(text)
    line_end = text.rfind("\n", _HALF - _CUT_SLACK, _HALF)
    return line_end if line_end >= 0 else _HALF


def _tail_cut(text: str) -> int:
    start = max(0, len(text) - _HALF)
    line_end = text.find("\n", start, start + _CUT_SLACK) if start else -1
    return line_end + 1 if line_end >= 0 else start
