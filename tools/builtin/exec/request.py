"""Reads the arguments of a call of exec."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from agents.core.tools import ToolContext
from tools.arguments import flag_argument, number_argument, seconds_argument, text_argument
from tools.builtin.exec.environment import checked_variables, command_environment
from tools.builtin.exec.process import Command
from tools.builtin.exec.settings import ExecSettings
from tools.builtin.exec.shell import shell_command

# Milliseconds; the reference's limits.
LEAST_YIELD, MOST_YIELD = 10, 120_000
# What programs that draw on a terminal know.
_TERMINAL = "xterm-256color"


@dataclass(frozen=True, slots=True)
class Request:
    """A call as it will be carried out. `seconds`: after these it goes to the background."""

    text: str
    command: Command
    seconds: float
    background: bool
    pty: bool


def request_read(
    arguments: Mapping[str, Any], context: ToolContext, settings: ExecSettings
) -> Request:
    """The checked arguments. Raises ToolError that names the one that cannot be used."""
    text = text_argument(arguments, "command")
    if not text.strip():
        raise ToolError("command: is empty.")
    if "\0" in text:
        raise ToolError("command: contains a NUL byte.")
    usual = round(settings.background_seconds * 1000)
    after = number_argument(arguments, "yieldMs", usual, low=LEAST_YIELD)
    pty = flag_argument(arguments, "pty")
    return Request(
        text=clean_text(text),
        command=Command(
            argv=shell_command(os.environ, clean_text(text)),
            folder=_folder(arguments.get("workdir"), context.workspace),
            environment=_environment(arguments, context, settings, pty),
            seconds=seconds_argument(arguments, "timeout", settings.timeout_seconds),
        ),
        seconds=min(after, MOST_YIELD) / 1000,
        background=flag_argument(arguments, "background"),
        pty=pty,
    )


def _environment(
    arguments: Mapping[str, Any], context: ToolContext, settings: ExecSettings, pty: bool
) -> dict[str, str]:
    chosen = checked_variables(arguments.get("env"))
    if pty:
        chosen.setdefault("TERM", _TERMINAL)
    prepend = settings.path_prepend
    return command_environment(os.environ, context.environment, chosen, prepend)


def _folder(given: object, workspace: Path) -> Path:
    try:
        workspace.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"The workspace {workspace} cannot be used: {error.strerror}.") from None
    if given is None or given == "":
        return workspace
    if not isinstance(given, str) or "\0" in given:
        raise ToolError("workdir: expected the path of a folder.")
    home = str(Path.home())
    folder = workspace / (home + given[1:] if given == "~" or given.startswith("~/") else given)
    if not folder.is_dir():
        raise ToolError(f"workdir: {given!r} is not there or is no folder.")
    return folder
