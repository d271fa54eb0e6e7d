"""The files of a sandbox, reached through its own shell. Blocking."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import IO, Any

from agents.core.errors import ToolError
from tools.sandbox import scripts
from tools.sandbox.choice import SandboxPlan
from tools.sandbox.engine import engine, engine_errors
from tools.sandbox.mounts import Mount, Root, inside_path, roots_of, shown_path
from tools.sandbox.stream import ExecStream

# What is fetched of one file; beyond it a command is better.
MOST_BYTES = 64 << 20
_IN_MEMORY = 4 << 20
_SEND_BYTES = 256 * 1024
_TRIES = 3
# More of an answer's fields are not read.
_MOST_HEAD = 1 << 20
_PATH_MAX = 4095
_LISTED = 50

_REASONS = {
    "outside": "leads outside of what the sandbox may use. Use a path inside it, relative to the "
    "workspace",
    "readonly": "is in a folder that this sandbox may only read",
    "notfolder": "a name on the way is a file, not a folder",
    "broken": "leads to a place that is not there",
    "loop": "goes through a loop of symlinks",
    "denied": "permission denied",
    "special": "is a device, pipe or socket, not a regular file",
    "locked": "is read-only. Change its mode first",
    "changed": "is being changed by somebody else. Read it and try again",
    "cut": "its content did not arrive as a whole; nothing was changed",
    "folder": "is a folder, not a file",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A place inside: its path as a model uses it, what is there, its mode and checksum.

    `kind` is file, folder, special or absent.
    """

    shown: str
    kind: str
    mode: str = ""
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """The content of a file, standing at its start."""

    handle: IO[bytes]
    size: int
    shown: str
    checksum: str = ""


class Bridge:
    """File operations in one container. `mounts` are those that it was made with."""

    def __init__(self, plan: SandboxPlan, mounts: Sequence[Mount]) -> None:
        self._plan = plan
        self._mounts = mounts
        self._roots: tuple[Root, ...] = roots_of(plan, mounts)

    @contextmanager
    def open(self, given: str, *, checksum: bool = False) -> Iterator[Opened]:
        """A regular file to read. Raises ToolError that says why it cannot be."""
        with self._answer(scripts.READ, given, "sum" if checksum else "") as answer:
            folder, name, _bits, size, check = answer.fields(5)
            if int(size or 0) > MOST_BYTES:
                raise ToolError(
                    f"path: {given!r} is larger than {MOST_BYTES:,} bytes. Use exec: sed -n, head."
                )
            with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as kept:
                answer.copy(kept)
                kept.seek(0)
                shown = shown_path(f"{folder}/{name}")
                yield Opened(kept, int(size or 0), shown, check)

    def look(self, given: str) -> Found:
        """What is at a place. Raises ToolError for one that may not be used at all."""
        try:
            with self._answer(scripts.LOOK, given) as answer:
                folder, name, kind, mode, check = answer.fields(5)
        except _Missing:
            return Found(shown_path(self._inside(given)), "absent")
        return Found(shown_path(f"{folder}/{name}"), kind, mode, check)

    def write(
        self, given: str, data: bytes, *, expected: str = "", mode: str = ""
    ) -> tuple[str, bool]:
        """Makes `data` the whole content of a file, parents included, in one step.

        Returns its path and whether it is new. `expected` is a checksum that the file must still
        have, or `absent`. A reader sees the old content or the new, and other names of the same
        file keep the old one. Raises ToolError.
        """
        if given.endswith("/"):
            raise ToolError(f"path: {given!r} ends with a slash and so names a folder, not a file.")
        temporary = f".openclaw-{secrets.token_hex(8)}.tmp"
        more = (expected, str(len(data)), temporary, mode)
        with self._answer(scripts.WRITE, given, *more, data=data) as answer:
            folder, name, state = answer.fields(3)
        return shown_path(f"{folder}/{name}"), state == "new"

    def rewrite(self, given: str, change: Callable[[bytes], bytes], *, most_bytes: int) -> str:
        """Replaces a file's content by `change(content)`; returns its path. Raises ToolError.

        When somebody else changes the file meanwhile, `change` is asked again, three times at
        most.
        """
        for turn in range(_TRIES):
            with self.open(given, checksum=True) as file:
                if file.size > most_bytes:
                    raise ToolError(f"path: {given!r} is larger than {most_bytes:,} bytes.")
                data, checksum = change(file.handle.read()), file.checksum
            try:
                return self.write(given, data, expected=checksum)[0]
            except _Changed:
                if turn == _TRIES - 1:
                    raise
        raise ToolError(f"path: {given!r} {_REASONS['changed']}.")

    def remove(self, given: str, *, expected: str = "") -> None:
        """Removes a file. Raises ToolError."""
        with self._answer(scripts.REMOVE, given, expected):
            pass

    def _inside(self, given: str) -> str:
        _check_usable(given)
        return inside_path(given, self._mounts)

    @contextmanager
    def _answer(self, script: str, given: str, *more: str, data: bytes = b"") -> Iterator[_Answer]:
        path = self._inside(given)
        root, rest = self._split(path, given)
        roots = "\n".join(f"{'ro' if one.read_only else 'rw'}:{one.path}" for one in self._roots)
        argv = ["sh", "-c", script, "sh", roots, root, rest, *more]
        with engine_errors():
            stream = ExecStream(engine().api, self._plan.name, argv)
            try:
                _send(stream, data)
                answer = _Answer(stream)
                answer.check(given)
                yield answer
            finally:
                stream.close()

    def _split(self, path: str, given: str) -> tuple[str, str]:
        for root in self._roots:
            if path == root.path or path.startswith(f"{root.path}/"):
                return root.path, path[len(root.path) :].lstrip("/")
        raise ToolError(f"path: {given!r} {_REASONS['outside']}.")


class _Missing(ToolError):
    pass


class _Changed(ToolError):
    pass


class _Answer:
    """The fields that a script answers with, and the content behind them."""

    def __init__(self, stream: ExecStream) -> None:
        self._stream = stream
        self._buffer = b""

    def check(self, given: str) -> None:
        """Raises ToolError when the script says no."""
        if self._field() == "ok":
            return
        word, text = self.fields(2)
        if word in ("missing", "folder"):
            names = [name for name in self._rest().split("\0") if name]
            raise _absent(given, word, text, names)
        if word == "failed":
            raise ToolError(f"path: {given!r}: {text.rpartition(': ')[2].lower() or 'failed'}.")
        kind = _Changed if word == "changed" else ToolError
        raise kind(f"path: {given!r} {_REASONS.get(word, word)}.")

    def fields(self, count: int) -> list[str]:
        """The next fields."""
        return [self._field() for _ in range(count)]

    def copy(self, target: Any) -> None:
        """Writes what follows the fields to a file."""
        target.write(self._buffer)
        for chunk in self._stream.chunks():
            target.write(chunk)

    def _field(self) -> str:
        while b"\0" not in self._buffer:
            data = self._stream.read()
            if data is None or len(self._buffer) > _MOST_HEAD:
                raise ToolError(
                    "The sandbox gave no answer: its image needs sh, ls, cat, wc, mv, rm, "
                    f"mkdir, chmod, tr and readlink. It said: {_text(self._buffer)[:300]!r}"
                )
            self._buffer += data
        field, _nul, self._buffer = self._buffer.partition(b"\0")
        return _text(field)

    def _rest(self) -> str:
        return _text(self._buffer + b"".join(self._stream.chunks()))


def _send(stream: ExecStream, data: bytes) -> None:
    for start in range(0, len(data), _SEND_BYTES):
        # A script that said no reads no further; its answer tells.
        if not stream.send(data[start : start + _SEND_BYTES]):
            break
    stream.end_input()


def _absent(given: str, word: str, name: str, names: list[str]) -> ToolError:
    if word == "folder":
        holds = f" It holds: {', '.join(sorted(names)[:_LISTED])}" if names else ""
        return ToolError(f"path: {given!r} is a folder, not a file.{holds}")
    folded = {known.rstrip("/").casefold(): known for known in names}
    near = [folded[key] for key in get_close_matches(name.casefold(), folded, n=3)]
    hint = f" Nearest names there: {', '.join(near)}." if near else ""
    return _Missing(f"path: {given!r} not found: there is no {name!r}.{hint}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _check_usable(given: str) -> None:
    if not given.strip():
        raise ToolError("path: is empty. Give a file's path relative to the workspace.")
    if "\0" in given:
        raise ToolError("path: contains a NUL byte, which no file name can.")
    try:
        length = len(given.encode())
    except UnicodeEncodeError:
        raise ToolError("path: contains half of a character (a lone surrogate).") from None
    if length > _PATH_MAX:
        raise ToolError(f"path: is longer than {_PATH_MAX} bytes.")
