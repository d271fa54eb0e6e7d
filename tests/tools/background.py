"""What tests of background commands share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext, ToolResult
from tools.background.control import input_send
from tools.background.job import Job
from tools.background.jobs import job_find
from tools.background.segments import output_read
from tools.builtin.exec.kept import run_kept
from tools.builtin.exec.request import request_read
from tools.builtin.exec.settings import ExecSettings

SETTINGS = ExecSettings()


async def ignore(partial: ToolResult) -> None:
    """No listener."""


def started(context: ToolContext, command: str, **arguments: Any) -> ToolResult:
    """The result of exec as it is with the tool process at hand."""
    return asyncio.run(execution(context, AbortSignal(), command, **arguments))


async def execution(
    context: ToolContext, stop: AbortSignal, command: str, **arguments: Any
) -> ToolResult:
    request = request_read({"command": command, **arguments}, context, SETTINGS)
    return await run_kept(
        request, context=context, settings=SETTINGS, signal=stop, on_update=ignore
    )


def in_background(context: ToolContext, command: str, **arguments: Any) -> Job:
    """A command that runs in the background."""
    result = started(context, command, background=True, **arguments)
    assert result.details["status"] == "running", blocks_text(result.content)
    return again(result.details["sessionId"])


def ended_in_background(context: ToolContext, command: str) -> Job:
    """A command that ended in the background: it waits until it is there."""
    job = in_background(context, f"read go; {command}")
    input_send(job, b"go\n")
    assert until(lambda: not again(job.name).running)
    return again(job.name)


def again(name: str) -> Job:
    """A new look at it."""
    job = job_find(name)
    assert job is not None
    return job


def until(condition: Callable[[], bool]) -> bool:
    """Waits for it, for 20 seconds at most."""
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def printed(job: Job) -> bytes:
    """All of its output that is kept."""
    data, offset = b"", 0
    while True:
        start, piece = output_read(str(job.path), offset)
        if not piece:
            return data
        data, offset = data + piece, start + len(piece)
