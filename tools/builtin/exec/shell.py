"""Which shell runs a command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from shutil import which

from agents.core.errors import ToolError

# Shells that take `-c` and speak the language models write; fish and csh do not.
_KNOWN = frozenset({"bash", "zsh", "ksh", "dash", "ash", "sh"})


def shell_command(inherited: Mapping[str, str], command: str) -> list[str]:
    """The program and its arguments that run `command`. Raises ToolError without any shell."""
    # A command that begins with a dash would be taken for an option of the shell.
    guarded = f" {command}" if command.startswith(("-", "+")) else command
    return [_shell(inherited.get("SHELL", "")), "-c", guarded]


@lru_cache(maxsize=8)
def _shell(preferred: str) -> str:
    path = Path(preferred)
    if path.is_absolute() and path.name in _KNOWN and os.access(path, os.X_OK):
        return preferred
    found = which("bash") or which("sh")
    if found is None:
        raise ToolError("No shell was found: neither bash nor sh is on the PATH.")
    return found
