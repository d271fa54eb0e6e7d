"""From the path a model wrote to steps below the workspace folder. Touches no file."""

from __future__ import annotations

import os
from pathlib import Path

from agents.core.errors import ToolError


class OutsideError(ToolError):
    """A path leads out of the workspace."""


def path_steps(given: str, root: Path, real_root: Path) -> list[str]:
    """The steps to take from the workspace, `..` still among them.

    Relative paths start at the workspace, `~` is the home folder, absolute paths must begin with
    `root` or with `real_root` (the same folder without symlinks), compared name by name.
    Raises ToolError for an empty or unusable path and for one outside the workspace.
    """
    _check_usable(given)
    if given == "~" or given.startswith("~/"):
        given = str(Path.home()) + given[1:]
    steps = _names(given)
    if not given.startswith("/"):
        return steps
    return steps_below(steps, given, root, real_root)


def steps_below(steps: list[str], given: str, root: Path, real_root: Path) -> list[str]:
    """What is left of an absolute path's `steps` after the workspace. Raises ToolError outside."""
    for base in (_names(str(root)), _names(str(real_root))):
        if steps[: len(base)] == base:
            return steps[len(base) :]
    raise outside(given, root)


def outside(given: str, root: Path) -> OutsideError:
    """The error for a path that leaves the workspace."""
    return OutsideError(
        f"path: {given!r} leads outside the workspace {root}. "
        "Use a path inside it, relative to the workspace."
    )


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]


def _check_usable(given: str) -> None:
    if not given.strip():
        raise ToolError("path: is empty. Give a file's path relative to the workspace.")
    if "\0" in given:
        raise ToolError("path: contains a NUL byte, which no file name can.")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ToolError("path: contains half of a character (a lone surrogate).") from None
    if len(os.fsencode(given)) > _PATH_MAX:
        raise ToolError(f"path: is longer than {_PATH_MAX} bytes.")


# PATH_MAX of Linux, its closing NUL left out.
_PATH_MAX = 4095
