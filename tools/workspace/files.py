"""Reads and replaces files of the workspace. Blocking: call it in a thread."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agents.core.errors import ToolError
from tools.workspace.failures import explained, folder_names, missing
from tools.workspace.walk import Place, walk_to

# O_NONBLOCK: opening a named pipe must not wait for somebody to write into it.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 3
# Names of a folder that an error shows.
_LISTED = 50


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open regular file. `shown` is its real path relative to the workspace."""

    handle: BinaryIO
    status: os.stat_result
    shown: str


@contextmanager
def open_file(root: Path, given: str) -> Iterator[OpenFile]:
    """Opens a regular file of the workspace for reading.

    Raises ToolError when it is missing (with the nearest names), a folder (with its contents), a
    device or a pipe, unreadable, or outside.
    """
    with walk_to(root, given) as place, _opened(place, given) as file:
        yield file


def write_file(root: Path, given: str, data: bytes) -> tuple[str, bool]:
    """Makes `data` the whole content of a file, parents included, in one step.

    Returns the real path relative to the workspace and whether the file is new. A reader sees
    the old content or the new, never a part. Raises ToolError.
    """
    if given.endswith("/"):
        raise ToolError(f"path: {given!r} ends with a slash and so names a folder, not a file.")
    with walk_to(root, given, create=True) as place:
        before = status_of(place, given)
        _replace(place, given, data, before)
        return place.shown, before is None


def rewrite_file(
    root: Path, given: str, change: Callable[[bytes], bytes], *, most_bytes: int
) -> str:
    """Replaces a file's content by `change(content)`; returns its path in the workspace.

    When somebody else changes the file meanwhile, `change` is asked again with the new content,
    and after three tries ToolError is raised, so no other writer's work is lost.
    """
    for _ in range(_TRIES):
        with walk_to(root, given) as place, _opened(place, given) as file:
            if file.status.st_size > most_bytes:
                raise ToolError(f"path: {given!r} is larger than {most_bytes:,} bytes.")
            data = change(file.handle.read())
            if same_file(file.status, status_of(place, given)):
                _replace(place, given, data, file.status)
                return place.shown
    raise ToolError(f"path: {given!r} is being changed by somebody else. Read it and try again.")


@contextmanager
def _opened(place: Place, given: str) -> Iterator[OpenFile]:
    try:
        descriptor = os.open(place.name, _READ, dir_fd=place.folder)
    except FileNotFoundError:
        raise missing(given, place.name, place.folder) from None
    except OSError as error:
        raise explained(error, given) from None
    try:
        status = os.fstat(descriptor)
        _check_regular(status, given, descriptor)
    except ToolError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as handle:
        yield OpenFile(handle, status, place.shown)


def _check_regular(status: os.stat_result, given: str, folder: int | None = None) -> None:
    if stat.S_ISDIR(status.st_mode):
        names = folder_names(folder)[:_LISTED] if folder is not None else []
        holds = f" It holds: {', '.join(names)}" if names else ""
        raise ToolError(f"path: {given!r} is a folder, not a file.{holds}")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"path: {given!r} is a device, pipe or socket, not a regular file.")


def status_of(place: Place, given: str) -> os.stat_result | None:
    """The state of the regular file at a place, None when nothing is there.

    Raises ToolError when something else is there, or a file that may not be written.
    """
    try:
        status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise explained(error, given) from None
    _check_regular(status, given)
    if not status.st_mode & 0o222:
        raise ToolError(f"path: {given!r} is read-only. Change its mode first.")
    return status


def same_file(first: os.stat_result, second: os.stat_result | None) -> bool:
    """Whether both states are of the same file with the same content."""
    return second is not None and all(
        getattr(first, name) == getattr(second, name)
        for name in ("st_ino", "st_size", "st_mtime_ns")
    )


def _replace(place: Place, given: str, data: bytes, before: os.stat_result | None) -> None:
    temporary = f".openclaw-{secrets.token_hex(8)}.tmp"
    try:
        descriptor = os.open(temporary, _CREATE, 0o666, dir_fd=place.folder)
        with os.fdopen(descriptor, "wb") as handle:
            if before is not None:
                _keep_mode(descriptor, before)
            handle.write(data)
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place.folder)
        raise explained(error, given) from None


def _keep_mode(descriptor: int, before: os.stat_result) -> None:
    # Only root may give a file away; for everybody else the file is their own anyway.
    with suppress(OSError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, before.st_mode & 0o777)
