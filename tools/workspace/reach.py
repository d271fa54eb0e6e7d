"""How far the file tools of a turn reach: the workspace, or the whole disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.config.registry import section
from agents.config.sections.fs_schema import FileRules
from agents.core.errors import ToolError
from agents.core.tools import ToolContext
from tools.workspace.paths import OutsideError
from tools.workspace.walk import walk_to

# The key of ToolContext.settings of turns whose file tools may leave the workspace.
WHOLE_DISK = "wholeDisk"
_DISK = Path("/")


def disk_open(*, agent_tools: Mapping[str, Any] | None) -> bool:
    """Whether an administrator opened the disk to the file tools of owners.

    `agent_tools` is the `tools` object of the agent's entry, or None; it holds over `tools.fs`.
    """
    stated: FileRules = section("tools").fs
    own = (agent_tools or {}).get("fs")
    chosen = own.get("workspaceOnly") if isinstance(own, Mapping) else None
    return not (stated.workspace_only if chosen is None else chosen)


def reached_place(context: ToolContext, given: str) -> tuple[Path, str]:
    """The folder to begin at and the path below it: the workspace, or the disk where the path
    leads outside and the turn may go there. Blocking.

    With the disk as its folder the walk still refuses /proc, /sys and /dev.
    """
    if not context.settings.get(WHOLE_DISK) or not context.principal.is_owner:
        return context.workspace, given
    try:
        with walk_to(context.workspace, given):
            pass
    except OutsideError:
        home = str(Path.home()) + given[1:] if given == "~" or given.startswith("~/") else given
        return _DISK, os.path.join(context.workspace, home)  # noqa: PTH118
    except ToolError:
        # Whoever opens the file says what is wrong with it.
        pass
    return context.workspace, given
