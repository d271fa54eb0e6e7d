"""The output of a command as files of limited size: its beginning and its end are kept.

Each file is named by the position of its first byte in the whole output. Standard library only:
the runner uses the writer, everybody else the reader.
"""

# pathlib takes longer to import than all the rest.
# ruff: noqa: PTH108, PTH116, PTH118, PTH123, PTH208
from __future__ import annotations

import os
from contextlib import suppress

# The first file is kept for good, of the others the newest ones.
SEGMENT_BYTES = 1 << 20
NEWEST_KEPT = 4

_PREFIX = "out."


class SegmentWriter:
    """Appends to the output in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._starts: list[int] = []
        self._total = 0
        self._room = 0
        self._file = -1

    @property
    def total(self) -> int:
        """Bytes written so far, those no longer kept included."""
        return self._total

    def write(self, data: bytes) -> None:
        """Takes the next bytes. Raises OSError when the disk does not."""
        while data:
            if not self._room:
                self._open()
            written = os.write(self._file, data[: self._room])
            self._room -= written
            self._total += written
            data = data[written:]

    def close(self) -> None:
        """Nothing more will come."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self) -> None:
        self.close()
        path = _path(self._folder, self._total)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._room = SEGMENT_BYTES
        self._starts.append(self._total)
        if len(self._starts) > 1 + NEWEST_KEPT:
            with suppress(OSError):
                os.unlink(_path(self._folder, self._starts.pop(1)))


def output_total(folder: str) -> int:
    """How many bytes the command has printed so far."""
    starts = _starts(folder)
    while starts:
        with suppress(OSError):
            return starts[-1] + os.stat(_path(folder, starts[-1])).st_size
        starts.pop()
    return 0


def output_read(folder: str, offset: int) -> tuple[int, bytes]:
    """The next kept bytes from `offset` on, and where they begin: later than `offset` when what
    stood there is no longer kept. Up to the end of one file; b"" when there is nothing yet."""
    for start in _starts(folder):
        if start + SEGMENT_BYTES <= offset:
            continue
        with suppress(OSError), open(_path(folder, start), "rb") as file:
            at = max(start, offset)
            file.seek(at - start)
            if data := file.read():
                return at, data
    return offset, b""


def _starts(folder: str) -> list[int]:
    names = [name for name in os.listdir(folder) if name.startswith(_PREFIX)]
    return sorted(int(name[len(_PREFIX) :]) for name in names)


def _path(folder: str, start: int) -> str:
    return os.path.join(folder, f"{_PREFIX}{start:016d}")
