"""Walks from the workspace folder to a file, one folder at a time, and never out of it.

Every folder is opened relative to the one before without following symlinks; a symlink is read
and its target walked by the same rule. So a link that is exchanged between check and use cannot
lead outside: there is no moment at which the kernel resolves a path of more than one name.
Hard links are files like any other; they cannot be told from their originals.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agents.core.errors import ToolError
from tools.workspace.failures import explained, missing
from tools.workspace.paths import outside, path_steps, steps_below

# The kernel's own limit for symlinks in one path.
_MAX_LINKS = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DISK = Path("/")
# With the whole machine as workspace these trees would still hold secrets and devices.
_KERNEL_TREES = frozenset({"proc", "sys", "dev"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path ends: an open folder and a name in it, which need not exist.

    `name` is "." when the path is the folder itself. `shown` is the real path relative to the
    workspace, with a slash in front when that is the whole disk. `folder` belongs to the walk and
    is closed by it.
    """

    folder: int
    name: str
    shown: str


@contextmanager
def walk_to(
    root: Path, given: str, *, create: bool = False, made: list[str] | None = None
) -> Iterator[Place]:
    """The place that `given` names. With `create`, missing folders on the way are made, and
    added to `made` as real paths relative to the workspace.

    The workspace folder itself is made when it is missing. Raises ToolError when the path is
    unusable, leads outside, or a folder on the way is missing or no folder.
    """
    walk = _Walk(root, given, create, made)
    try:
        yield walk.run()
    finally:
        walk.close()


class _Walk:
    def __init__(self, root: Path, given: str, create: bool, made: list[str] | None) -> None:
        self.root = root
        self.real_root = Path(os.path.realpath(root))
        self.given = given
        self.create = create
        self.made = made
        self.links = 0
        self.names: list[str] = []
        self.pending = deque(path_steps(given, root, self.real_root))
        self.folders = [_open_root(self.real_root)]

    def close(self) -> None:
        for folder in self.folders:
            os.close(folder)

    def run(self) -> Place:
        while self.pending:
            name = self.pending.popleft()
            if name == "..":
                self._climb()
            elif (target := self._link_target(name)) is not None:
                self._follow(target)
            elif not self.pending:
                return self._place(name)
            else:
                self._descend(name)
        return self._place(".")

    def _place(self, name: str) -> Place:
        names = self.names if name == "." else [*self.names, name]
        if self.real_root == _DISK and names and names[0] in _KERNEL_TREES:
            raise outside(self.given, self.root)
        shown = "/".join(names) or "."
        # Below the whole disk a path without its slash would be taken for one of the workspace.
        lead = "/" if self.real_root == _DISK and names else ""
        return Place(self.folders[-1], name, lead + shown)

    def _climb(self) -> None:
        if not self.names:
            raise outside(self.given, self.root)
        self.names.pop()
        os.close(self.folders.pop())

    def _link_target(self, name: str) -> str | None:
        try:
            return os.readlink(name, dir_fd=self.folders[-1])
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOENT):
                return None
            raise explained(error, self.given) from None

    def _follow(self, target: str) -> None:
        self.links += 1
        if self.links > _MAX_LINKS:
            raise ToolError(f"path: {self.given!r} goes through a loop of symlinks.")
        steps = [name for name in target.split("/") if name not in ("", ".")]
        if target.startswith("/"):
            steps = steps_below(steps, self.given, self.root, self.real_root)
            self._restart()
        self.pending.extendleft(reversed(steps))

    def _restart(self) -> None:
        for folder in self.folders[1:]:
            os.close(folder)
        del self.folders[1:]
        self.names.clear()

    def _descend(self, name: str) -> None:
        try:
            self.folders.append(self._open_folder(name))
        except FileNotFoundError:
            raise missing(self.given, name, self.folders[-1]) from None
        except OSError as error:
            raise explained(error, self.given) from None
        self.names.append(name)

    def _open_folder(self, name: str) -> int:
        if self.create and _make_folder(name, self.folders[-1]) and self.made is not None:
            self.made.append("/".join([*self.names, name]))
        return os.open(name, _FOLDER, dir_fd=self.folders[-1])


def _open_root(real_root: Path) -> int:
    try:
        real_root.mkdir(parents=True, exist_ok=True)
        return os.open(real_root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ToolError(f"The workspace {real_root} cannot be used: {error.strerror}.") from None


def _make_folder(name: str, folder: int) -> bool:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
        return True
    return False
