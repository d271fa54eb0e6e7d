"""The tool `exec`: runs a command in a shell, in the background where asked. No jail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any, Literal

import structlog

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from tools.allowances import allowances_flush, allowances_pending
from tools.builtin.exec.kept import run_kept
from tools.builtin.exec.output import Output
from tools.builtin.exec.process import run_process
from tools.builtin.exec.report import exec_result
from tools.builtin.exec.request import LEAST_YIELD, MOST_YIELD, request_read
from tools.builtin.exec.updates import Updates
from tools.exec_settings import exec_settings
from tools.policy_turns import policy_decide

log = structlog.get_logger(__name__)

_DESCRIPTION = (
    "Run a shell command. It starts in the workspace; standard output and error come together. A "
    "command that still runs after yieldMs goes on in the background under a name for the tool "
    "process; background: true sends it there at once. It has no input unless it is started with "
    "background: true or pty: true. After `timeout` it is stopped. Where process is not available, "
    "yieldMs and background have no effect."
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
        "yieldMs": {
            "type": "integer",
            "minimum": LEAST_YIELD,
            "maximum": MOST_YIELD,
            "description": "Milliseconds until it goes to the background; default 10000.",
        },
        "background": {"type": "boolean", "description": "Start it in the background."},
        "pty": {
            "type": "boolean",
            "description": "Give it a terminal, for programs that ask for one.",
        },
        "elevated": {
            "type": "boolean",
            "description": "Leave the sandbox, where that is allowed.",
        },
        "host": {
            "type": "string",
            "enum": ["auto", "sandbox", "gateway", "node"],
            "description": "Where it must run; default auto.",
        },
        "security": {
            "type": "string",
            "enum": ["deny", "allowlist", "full"],
            "description": "At most this; cannot widen what is configured.",
        },
        "ask": {
            "type": "string",
            "enum": ["off", "on-miss", "always"],
            "description": "At least this; cannot ask less than is configured.",
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
        """The output and how the command ended, or its name in the background.

        A command that fails is a result, an error only when it could not run or was stopped.
        Raises ToolError for arguments that cannot be used.
        """
        keeps = _may_background(context)
        return await self.run_here(arguments, context, signal, on_update, keeps=keeps)

    async def run_here(
        self,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
        *,
        keeps: bool,
    ) -> ToolResult:
        """Runs it on this machine; `keeps`: the caller could look after it in the background."""
        settings = await exec_settings(context)
        if allowances_pending():
            await _uses_written()
        request = await asyncio.to_thread(request_read, arguments, context, settings)
        if signal.aborted:
            raise ToolError("The command was not started: the run was stopped before.")
        if keeps or request.pty:
            if not keeps:
                request = replace(request, background=False, seconds=inf)
            return await run_kept(
                request, context=context, settings=settings, signal=signal, on_update=on_update
            )
        command = request.command
        output = Output()
        async with Updates(output, on_update) as updates:
            ended = await run_process(command, signal=signal, sink=updates.add)
        return await asyncio.to_thread(exec_result, output, ended, command)


EXEC = ExecTool()


async def _uses_written() -> None:
    try:
        await run_db(allowances_flush)
    except Exception:
        # A note for administrators; the command does not depend on it.
        log.exception("allowances_not_noted")


def _may_background(context: ToolContext) -> bool:
    """Whether the caller could look after a command in the background."""
    return "process" in policy_decide(context).kept_names
