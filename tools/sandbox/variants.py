"""The tools of a sandboxed turn: the same ones, with the sandbox's files and commands."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import Any, cast

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import Tool, ToolContext, ToolResult, UpdateFn
from tools.builtin.apply_patch import ApplyPatchTool
from tools.builtin.edit import MOST_BYTES, EditTool
from tools.builtin.exec.kept import run_kept
from tools.builtin.exec.output import Output
from tools.builtin.exec.process import run_process
from tools.builtin.exec.report import exec_result
from tools.builtin.exec.settings import ExecSettings
from tools.builtin.exec.tool import ExecTool
from tools.builtin.exec.updates import Updates
from tools.builtin.process import ProcessTool
from tools.builtin.read import ReadTool
from tools.builtin.write import WriteTool
from tools.exec_judge import leaves_sandbox
from tools.exec_settings import exec_settings
from tools.patching.apply import MOST_BYTES as MOST_PATCHED
from tools.patching.apply import Applied, sections_apply
from tools.patching.document import Section
from tools.policy_turns import policy_decide
from tools.sandbox.bridge import Bridge
from tools.sandbox.patched import SandboxFiles
from tools.sandbox.ready import bridge_of, plan_of, sandbox_ready
from tools.sandbox.run import command_request
from tools.workspace.files import OpenFile

# Where a prepared call finds the files of its sandbox.
_BRIDGE = "sandbox bridge"


def sandboxed_tools(tools: Sequence[Tool], context: ToolContext) -> list[Tool]:
    """The tools with those that touch files or run commands replaced, in the same order.

    Costs nothing in a turn that is not sandboxed.
    """
    if not context.sandboxed:
        return list(tools)
    return [sandboxed_tool(tool) for tool in tools]


def sandboxed_tool(tool: Tool) -> Tool:
    """What a sandboxed turn gets in place of a tool; itself when it works on no machine."""
    return VARIANTS.get(tool.name, tool)


async def _prepared(context: ToolContext) -> ToolContext:
    bridge = await bridge_of(context)
    return replace(context, settings={**context.settings, _BRIDGE: bridge})


def _bridge(context: ToolContext) -> Bridge:
    return cast(Bridge, context.settings[_BRIDGE])


class SandboxedRead(ReadTool):
    """Reads files of the sandbox."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """One page of the file, or the picture. Raises ToolError."""
        inside = await _prepared(context)
        return await super().execute(call_id, arguments, inside, signal, on_update)

    @contextmanager
    def opened(self, context: ToolContext, path: str) -> Iterator[OpenFile]:
        """The file to read. Blocking. Raises ToolError."""
        with _bridge(context).open(path) as file:
            facts = (stat.S_IFREG, 0, 0, 1, 0, 0, file.size, 0, 0, 0)
            yield OpenFile(cast(Any, file.handle), os.stat_result(facts), file.shown)


class SandboxedWrite(WriteTool):
    """Writes files of the sandbox."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Writes the file and says how many bytes. Raises ToolError."""
        inside = await _prepared(context)
        return await super().execute(call_id, arguments, inside, signal, on_update)

    def put(self, context: ToolContext, path: str, data: bytes) -> tuple[str, bool]:
        """Makes `data` the content of a file; its path as shown, and whether it is new. Blocking.
        Raises ToolError."""
        return _bridge(context).write(path, data)


class SandboxedEdit(EditTool):
    """Edits files of the sandbox."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Edits the file; `details` has the diff and firstChangedLine. Raises ToolError."""
        inside = await _prepared(context)
        return await super().execute(call_id, arguments, inside, signal, on_update)

    def rewritten(self, context: ToolContext, path: str, change: Callable[[bytes], bytes]) -> str:
        """Replaces a file's content by `change(content)`; its path as shown. Blocking. Raises
        ToolError."""
        return _bridge(context).rewrite(path, change, most_bytes=MOST_BYTES)


class SandboxedPatch(ApplyPatchTool):
    """Patches files of the sandbox."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The files that were added (A), modified (M) and deleted (D). Raises ToolError, and then
        every file is as it was."""
        inside = await _prepared(context)
        return await super().execute(call_id, arguments, inside, signal, on_update)

    def applied(
        self, context: ToolContext, sections: Sequence[Section], settings: ExecSettings
    ) -> Applied:
        """Carries out all sections, or none. Blocking. Raises ToolError."""
        return sections_apply(SandboxFiles(_bridge(context), MOST_PATCHED), sections)


class SandboxedExec(ExecTool):
    """Runs commands inside the sandbox, except those that were allowed to leave it."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The output and how the command ended, or its name in the background. Raises ToolError,
        and then nothing was run anywhere."""
        plan = plan_of(context)
        if leaves_sandbox(arguments, context):
            # Nobody inside may feed a command of the machine: it runs to its end.
            return await self.run_here(arguments, context, signal, on_update, keeps=False)
        settings = await exec_settings(context)
        ready = await sandbox_ready(plan)
        request, folder = await asyncio.to_thread(command_request, arguments, plan, ready, settings)
        if signal.aborted:
            raise ToolError("The command was not started: the run was stopped before.")
        keeps = "process" in policy_decide(context).kept_names
        if not keeps:
            request = replace(request, background=False, seconds=inf)
        if keeps or request.pty:
            result = await run_kept(
                request,
                context=_own(context),
                settings=settings,
                signal=signal,
                on_update=on_update,
            )
        else:
            output = Output()
            async with Updates(output, on_update) as updates:
                ended = await run_process(request.command, signal=signal, sink=updates.add)
            result = await asyncio.to_thread(exec_result, output, ended, request.command)
        details = {**result.details, "cwd": folder, "sandbox": plan.name}
        if ready.outdated:
            details["hint"] = "settings changed; manage.py sandbox recreate makes it anew at once"
        return replace(result, details=details)


class SandboxedProcess(ProcessTool):
    """Looks after commands in the background of the same sandbox, and of no other place."""

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """What the action found or did. Raises ToolError for what cannot be."""
        return await super().execute(call_id, arguments, _own(context), signal, on_update)


def _own(context: ToolContext) -> ToolContext:
    """The context under a name of its own: commands of the machine must not be seen, fed or ended
    from inside, nor the other way round."""
    return replace(context, agent_id=f"{context.agent_id}@{plan_of(context).name}")


VARIANTS: Mapping[str, Tool] = {
    "read": SandboxedRead(),
    "write": SandboxedWrite(),
    "edit": SandboxedEdit(),
    "apply_patch": SandboxedPatch(),
    "exec": SandboxedExec(),
    "process": SandboxedProcess(),
}
