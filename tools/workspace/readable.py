"""Folders outside of the workspace that a turn may read and never change, such as its skills."""

from __future__ import annotations

import os
from pathlib import Path

from agents.core.tools import ToolContext

# The key of ToolContext.settings that holds them.
READABLE = "readable"


def readable_place(context: ToolContext, given: str) -> tuple[Path, str]:
    """The folder to begin at and the path below it: the workspace, or such a folder.

    Only an absolute path, or one that begins with ~/, can name something in such a folder. What
    leads out of it, by `..` or a link, is for whoever opens the file to refuse.
    """
    roots = context.settings.get(READABLE, ())
    if not roots or "\0" in given or not given.startswith(("/", "~/")):
        return context.workspace, given
    path = Path(os.path.normpath(str(Path.home()) + given[1:] if given[0] == "~" else given))
    for root in roots:
        if path != root and path.is_relative_to(root):
            return root, path.relative_to(root).as_posix()
    return context.workspace, given
