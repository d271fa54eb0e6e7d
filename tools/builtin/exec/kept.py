"""Runs a command under a runner, so that it can go to the background."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.background.job import Job, Spec, job_read
from tools.background.jobs import job_make
from tools.background.segments import output_read
from tools.background.start import Tied, runner_start
from tools.builtin.exec.output import Output
from tools.builtin.exec.process import Ended, EndedBy
from tools.builtin.exec.report import exec_result, running_result
from tools.builtin.exec.request import Request
from tools.builtin.exec.settings import ExecSettings
from tools.builtin.exec.updates import Updates

# Seconds between two looks at the output of a command that is waited for.
_LOOK_SECONDS = 0.1
# After a stop; a runner needs a little more than two seconds for the hardest case.
_STOP_SECONDS = 6.0
_BY: dict[str, EndedBy] = {"timeout": "timeout", "kill": "abort", "parent": "abort"}


async def run_kept(
    request: Request,
    *,
    context: ToolContext,
    settings: ExecSettings,
    signal: AbortSignal,
    on_update: UpdateFn,
) -> ToolResult:
    """The command's result, or what is known of it when it goes to the background.

    When `signal` is set or the task is cancelled before that, its whole group is ended. Raises
    ToolError when it cannot be started.
    """
    spec = _spec(request, context)
    path = await asyncio.to_thread(job_make, spec, kept_seconds=settings.kept_seconds)
    async with _folder(path) as keep:
        environment = request.command.environment
        tied = runner_start(path, spec, argv=request.command.argv, environment=environment)
        output = _Output(path)
        async with tied, Updates(output.output, on_update) as updates:
            await tied.started()
            if await _ended(tied, request, signal, output, updates):
                return await asyncio.to_thread(_result, path, output, request)
            keep.append(path)
            job = await asyncio.to_thread(_noted, path, output)
    return running_result(job, output.output)


def _spec(request: Request, context: ToolContext) -> Spec:
    piped = "pipe" if request.background else "none"
    return Spec(
        command=request.text,
        folder=str(request.command.folder),
        agent=context.agent_id,
        person=context.principal.id,
        session_key=context.session_key,
        input="pty" if request.pty else piped,  # type: ignore[arg-type]
        seconds=request.command.seconds,
        run=context.run_id,
    )


@asynccontextmanager
async def _folder(path: Path) -> AsyncIterator[list[Path]]:
    """Removes the folder afterwards, unless it was put on the list."""
    keep: list[Path] = []
    try:
        yield keep
    finally:
        if path not in keep:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, path, ignore_errors=True))


async def _ended(
    tied: Tied, request: Request, signal: AbortSignal, output: _Output, updates: Updates
) -> bool:
    """Waits until the command has ended (True) or was let go into the background (False)."""
    loop = asyncio.get_running_loop()
    until = loop.time() + (0 if request.background else request.seconds)
    while not signal.aborted:
        left = until - loop.time()
        if left <= 0:
            return not await tied.let_go()
        if await tied.ended(min(left, _LOOK_SECONDS)):
            return True
        if await asyncio.to_thread(output.read):
            updates.notice()
    tied.stop()
    await tied.ended(_STOP_SECONDS)
    return True


class _Output:
    """Follows the output that the runner keeps, up to `offset`."""

    def __init__(self, path: Path) -> None:
        self.output = Output()
        self._path = str(path)
        self.offset = 0

    def read(self) -> bool:
        """Takes what is new; returns whether anything was."""
        before = self.offset
        while True:
            start, data = output_read(self._path, self.offset)
            if not data:
                return self.offset > before
            self.output.leave_out(start - self.offset)
            self.output.add(data)
            self.offset = start + len(data)


def _result(path: Path, output: _Output, request: Request) -> ToolResult:
    output.read()
    job = job_read(path)
    if job is None:
        raise ToolError("command: its runner left nothing behind.")
    state = job.state
    ended = Ended(
        code=state.code,
        by=_BY.get(state.by, "itself"),
        milliseconds=round(job.seconds * 1000),
        left_running=state.left_running,
    )
    return exec_result(output.output, ended, request.command)


def _noted(path: Path, output: _Output) -> Job:
    """The command as it stands; what it printed so far counts as shown, and nothing else."""
    output.read()
    job = job_read(path)
    if job is None:
        raise ToolError("command: its runner left nothing behind.")
    (path / "shown").write_text(str(output.offset), encoding="ascii")
    return job
