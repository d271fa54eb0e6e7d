"""Files between pages and the workspace: only there, and only in sizes that fit."""

from __future__ import annotations

import asyncio
import mimetypes
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.core.errors import ToolError
from tools.workspace.files import open_file, write_file

if TYPE_CHECKING:
    from playwright.async_api import Download

FOLDER = "downloads"
# What one file may have, and what may be waiting in one session.
MOST_BYTES = 50 * 1024 * 1024
MOST_WAITING = 10
_UNSAFE = re.compile(r"[^\w.-]+")


class Downloads:
    """The files that pages of one session gave; kept in the workspace of whoever acts."""

    def __init__(self) -> None:
        self.workspace: Path | None = None
        self._ended: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, download: Download) -> None:
        """Takes a file that a page offers."""
        task = asyncio.ensure_future(self._keep(download))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def take(self, *, seconds: float = 2.0) -> list[str]:
        """A line for each file that came to its end since this was called last.

        Waits for those that are on their way, but not longer than `seconds`.
        """
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        ended, self._ended = self._ended, []
        return ended + [f"{len(self._tasks)} more on the way" for _ in self._tasks][:1]

    async def _keep(self, download: Download) -> None:
        from playwright.async_api import Error

        name = download_name(download.suggested_filename)
        try:
            if self.workspace is None or len(self._tasks) > MOST_WAITING:
                await download.cancel()
                raise ToolError("too many files at once")
            shown = await asyncio.to_thread(_store, self.workspace, name, await download.path())
            self._ended.append(f"downloaded {shown}")
        except ToolError as error:
            self._ended.append(f"{name} was not kept: {error.message}")
        except (Error, OSError):
            self._ended.append(f"{name} was not kept: the download failed")
        finally:
            try:
                await download.delete()
            except Error:
                self._ended = self._ended[-MOST_WAITING:]


def download_name(suggested: str) -> str:
    """A name for a file that a page named: no folder, nothing hidden, never one that exists."""
    plain = _UNSAFE.sub("-", suggested.replace("\\", "/").rsplit("/", 1)[-1]).strip("-.")
    stem, dot, ending = plain.rpartition(".")
    if not dot:
        stem, ending = plain, ""
    stem, ending = stem[:80] or "file", ending[:10]
    return f"{stem}-{secrets.token_hex(3)}{'.' + ending if ending else ''}"


def uploads_read(workspace: Path, paths: Sequence[str]) -> list[dict[str, Any]]:
    """Files of the workspace as Playwright takes them. Blocking. Raises ToolError.

    They are read here, so that the browser opens no file that was exchanged meanwhile.
    """
    found, left = [], MOST_BYTES
    for path in paths:
        with open_file(workspace, path) as file:
            data = file.handle.read(left + 1)
        if len(data) > left:
            raise ToolError(f"paths: more than {MOST_BYTES // 1024**2} MB in all.")
        left -= len(data)
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        found.append({"name": Path(path).name, "mimeType": kind, "buffer": data})
    return found


def _store(workspace: Path, name: str, source: Path) -> str:
    size = source.stat().st_size
    if size > MOST_BYTES:
        raise ToolError(f"it has more than {MOST_BYTES // 1024**2} MB")
    return write_file(workspace, f"{FOLDER}/{name}", source.read_bytes())[0]
