"""The tool `exec`: runs a command in a shell and waits for its end. No jail: owners only."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import seconds_argument, text_argument
from tools.builtin.exec.environment import checked_variables, command_environment
from tools.builtin.exec.output import Output
from tools.builtin.exec.process import Command, run_process
from tools.builtin.exec.report import exec_result
from tools.builtin.exec.shell import shell_command
from tools.builtin.exec.updates import Updates

# Seconds; the reference's default.
_TIMEOUT = 1_800

_DESCRIPTION = (
    "Run a shell command and wait for its end. It starts in the workspace, has no input and no "
    "terminal; standard output and error come together. A command that runs longer than "
    "`timeout` is stopped."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "minLength": 1, "description": "The command line."},
        "workdir": {
            "type": "string",
            "description": "Folder to start in; relative paths begin at the workspace.",
        },
        "env": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "More environment variables.",
        },
        "timeout": {
            "type": "number",
            "minimum": 0,
            "description": "Seconds until it is stopped; default 1800, 0 for no limit.",
        },
    },
    "required": ["command"],
    "additionalProperties": False,
}


class ExecTool:
    """Runs commands with a filtered environment in a process group of their own."""

    name = "exec"
    label = "Run a command"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = False
    execution: Literal["parallel", "sequential"] = "parallel"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The output and how the command ended.

        A command that fails is a result, an error only when it could not run or was stopped.
        Raises ToolError for arguments that cannot be used.
        """
        command = await asyncio.to_thread(_prepared, arguments, context)
        if signal.aborted:
            raise ToolError("The command was not started: the run was stopped before.")
        output = Output()
        async with Updates(output, on_update) as updates:
            ended = await run_process(command, signal=signal, sink=updates.add)
        return await asyncio.to_thread(exec_result, output, ended, command)


EXEC = ExecTool()


def _prepared(arguments: Mapping[str, Any], context: ToolContext) -> Command:
    command = text_argument(arguments, "command")
    if not command.strip():
        raise ToolError("command: is empty.")
    if "\0" in command:
        raise ToolError("command: contains a NUL byte.")
    return Command(
        argv=shell_command(os.environ, clean_text(command)),
        folder=_folder(arguments.get("workdir"), context.workspace),
        environment=command_environment(
            os.environ, context.environment, checked_variables(arguments.get("env"))
        ),
        seconds=seconds_argument(arguments, "timeout", _TIMEOUT),
    )


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
