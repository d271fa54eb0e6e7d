"""One log of all processes: each line with the name of who wrote it, on screen and in a file."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

# Bytes after which a log file is set aside as `.1`; one old file is kept.
ROTATE_AT = 20 * 1024 * 1024
_NAME_WIDTH = 7


class Console:
    """Writes lines to standard output and to `<logs>/gateway.log`.

    A screen that went away (a closed terminal or pipe) never stops the gateway.
    """

    def __init__(self, logs: Path) -> None:
        self._path = logs / "gateway.log"
        self._file = self._path.open("a", encoding="utf-8", buffering=1)

    def line(self, name: str, text: str) -> None:
        """One line of `name`."""
        entry = f"{name:<{_NAME_WIDTH}}| {text}\n"
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.write(entry)
            sys.stdout.flush()
        with contextlib.suppress(OSError):
            self._file.write(entry)
            if self._file.tell() > ROTATE_AT:
                self._rotate()

    def files_rotate(self) -> None:
        """Sets the other processes' log files aside when they are long; they open new ones."""
        for path in self._path.parent.glob("*.jsonl"):
            with contextlib.suppress(OSError):
                if path.stat().st_size > ROTATE_AT:
                    path.replace(path.with_name(f"{path.name}.1"))

    def _rotate(self) -> None:
        self._file.close()
        self._path.replace(self._path.with_suffix(".log.1"))
        self._file = self._path.open("a", encoding="utf-8", buffering=1)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
