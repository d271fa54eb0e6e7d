"""Cuts one page of lines out of a file without loading the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

# The reference's page: 2000 lines or 50 KiB, whichever ends first.
PAGE_LINES = 2_000
PAGE_BYTES = 50 * 1024
_CHUNK = 1 << 20
# Counting the lines behind the page stops here; the total is then unknown.
_COUNTED_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Page:
    """`lines` (without line ends) from line `first`, 1-based.

    `total` is the number of lines in the file, None when it is too long to count. `long_line` is
    the size in bytes of a line that fits on no page; it is the next one after `lines`, and when
    `lines` is empty `start` holds its beginning.
    """

    first: int
    lines: tuple[bytes, ...]
    total: int | None
    long_line: int | None = None
    start: bytes = b""

    @property
    def next(self) -> int:
        """The line after this page."""
        return self.first + len(self.lines)


def read_page(handle: BinaryIO, first: int, limit: int = PAGE_LINES) -> Page:
    """The page that begins at line `first`: at most `limit` lines and PAGE_BYTES bytes.

    Reads from where `handle` stands, which must be the start of line 1. A page without lines and
    without `long_line` means that the file ends before `first`.
    """
    seen, rest = _skip_lines(handle, first - 1)
    if rest is None:
        return Page(first, (), seen)
    rest, ended = _fill(handle, rest)
    lines = _whole_lines(rest, ended)[: min(limit, PAGE_LINES)]
    lines = lines[: _fitting(lines)]
    behind = rest[sum(len(line) + 1 for line in lines) :]
    counter = _Counter(behind)
    while not ended and counter.counted < _COUNTED_BYTES and (chunk := handle.read(_CHUNK)):
        counter.add(chunk)
    total = None if counter.counted >= _COUNTED_BYTES else first - 1 + len(lines) + counter.lines
    if lines or not behind:
        return Page(first, tuple(lines), total)
    return Page(first, (), total, counter.first_line, behind[:_START_BYTES])


# How much of a line that fits on no page is shown.
_START_BYTES = 2_000


class _Counter:
    """Counts the lines of what it is fed, and the bytes of the first one."""

    def __init__(self, start: bytes) -> None:
        self.counted = 0
        self.first_line = 0
        self._ends = 0
        self._open = False
        self.add(start)

    def add(self, chunk: bytes) -> None:
        if self._ends == 0:
            end = chunk.find(b"\n")
            self.first_line += len(chunk) if end < 0 else end
        self._ends += chunk.count(b"\n")
        self._open = not chunk.endswith(b"\n") if chunk else self._open
        self.counted += len(chunk)

    @property
    def lines(self) -> int:
        return self._ends + self._open


def _skip_lines(handle: BinaryIO, count: int) -> tuple[int, bytes | None]:
    """Skips `count` lines; returns what was read beyond them, None when the file is shorter."""
    seen, rest, open_line = 0, b"", False
    while seen < count:
        chunk = handle.read(_CHUNK)
        if not chunk:
            return seen + open_line, None
        ends = chunk.count(b"\n")
        if seen + ends >= count:
            rest = chunk.split(b"\n", count - seen)[-1]
        seen += ends
        open_line = not chunk.endswith(b"\n")
    return count, rest


def _fill(handle: BinaryIO, rest: bytes) -> tuple[bytes, bool]:
    """`rest` with enough read on for one page, and whether the file ends there."""
    while len(rest) <= PAGE_BYTES + 1:
        chunk = handle.read(PAGE_BYTES + 2 - len(rest))
        if not chunk:
            return rest, True
        rest += chunk
    return rest, False


def _whole_lines(data: bytes, ended: bool) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    return [*lines, last] if ended and last else lines


def _fitting(lines: list[bytes]) -> int:
    used = 0
    for count, line in enumerate(lines):
        used += len(line) + 1
        if used > PAGE_BYTES:
            return count
    return len(lines)
