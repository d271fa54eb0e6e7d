"""The files that a turn may read and write: those of its workspace, or of its sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from agents.core.tools import ToolContext
from tools.workspace.files import open_file, write_file

if TYPE_CHECKING:
    from tools.sandbox.bridge import Bridge


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was read. `data` is None when it has more bytes than were wanted."""

    shown: str
    size: int
    data: bytes | None


class Place(Protocol):
    """Reads and writes. Blocking."""

    def read(self, path: str, most_bytes: int) -> Found:
        """The file at `path`. Raises ToolError."""
        ...

    def write(self, path: str, data: bytes) -> str:
        """Makes `data` the content of a file; its path as shown. Raises ToolError."""
        ...


@dataclass(frozen=True, slots=True)
class WorkspacePlace:
    """A folder of the machine; nothing outside of it is reached."""

    root: Path

    def read(self, path: str, most_bytes: int) -> Found:
        """See Place."""
        with open_file(self.root, path) as file:
            size = file.status.st_size
            data = file.handle.read(most_bytes + 1) if size <= most_bytes else None
        fits = data is not None and len(data) <= most_bytes
        return Found(file.shown, size, data if fits else None)

    def write(self, path: str, data: bytes) -> str:
        """See Place."""
        shown, _is_new = write_file(self.root, path, data)
        return shown


@dataclass(frozen=True, slots=True)
class SandboxPlace:
    """The files of a sandbox, reached through it."""

    bridge: Bridge

    def read(self, path: str, most_bytes: int) -> Found:
        """See Place."""
        with self.bridge.open(path) as file:
            data = file.handle.read(most_bytes + 1) if file.size <= most_bytes else None
            return Found(file.shown, file.size, data)

    def write(self, path: str, data: bytes) -> str:
        """See Place."""
        shown, _is_new = self.bridge.write(path, data)
        return shown


async def place_of(context: ToolContext) -> Place:
    """Where the tools of a turn find files. Raises ToolError when its sandbox cannot be used."""
    if not context.sandboxed:
        return WorkspacePlace(context.workspace)
    from tools.sandbox.ready import bridge_of

    return SandboxPlace(await bridge_of(context))


def folder_of(context: ToolContext) -> Path:
    """The folder of the machine that the turn's files are in. Raises ToolError as `place_of`."""
    if not context.sandboxed:
        return context.workspace
    from tools.sandbox.ready import plan_of

    return plan_of(context).folder
