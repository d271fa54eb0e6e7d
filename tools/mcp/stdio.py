"""A server as a child process: lines of JSON through pipes, and its whole group gone at the end.

The SDK's own transport leaves what a server started behind when the server itself ends in time,
and reads lines of any length.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import structlog

from tools.mcp.failures import McpUnavailableError
from tools.mcp.schema import McpServer

# Bytes of one message. A list of tools may have a fraction of it, a result with pictures all.
MAX_LINE = 16 * 1024 * 1024
# Seconds that a server gets to end by itself, and again after it was asked to.
GRACE_SECONDS = 2.0
_LOG_LINE = 4_096
# What a child gets of the gateway's environment, where the gateway's secrets are.
_INHERITED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")

log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def stdio_streams(
    name: str, server: McpServer, said: deque[str]
) -> AsyncIterator[tuple[Any, Any]]:
    """Starts the server and yields the two streams that a client session takes.

    The stream of answers ends with the process; `said` gets what it writes to its error output.
    On leaving, the server may end by itself; then everything in its process group is killed.
    Raises McpUnavailableError when it cannot be started.
    """
    import anyio

    process = await _start(server)
    answers_in, answers = anyio.create_memory_object_stream[Any](0)
    requests, requests_out = anyio.create_memory_object_stream[Any](0)
    tasks = [
        asyncio.create_task(_read(process, answers_in)),
        asyncio.create_task(_write(process, requests_out)),
        asyncio.create_task(_log(name, process, said)),
    ]
    try:
        yield answers, requests
    finally:
        await asyncio.shield(asyncio.ensure_future(_end(process, tasks)))
        for stream in (answers_in, answers, requests, requests_out):
            stream.close()


async def _start(server: McpServer) -> asyncio.subprocess.Process:
    environment = {key: os.environ[key] for key in _INHERITED if key in os.environ} | server.env
    found = shutil.which(_at_home(server.command), path=environment.get("PATH"))
    if found is None:
        raise McpUnavailableError(f"there is no program {server.command!r}")
    try:
        return await asyncio.create_subprocess_exec(
            *_dying_with_us(),
            found,
            *server.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
            cwd=_at_home(server.cwd) or None,
            start_new_session=True,
            limit=MAX_LINE,
        )
    except OSError as error:
        raise McpUnavailableError(f"it cannot be started: {error.strerror or error}") from error


def _at_home(path: str) -> str:
    return str(Path(path).expanduser()) if path.startswith("~") else path


def _dying_with_us() -> tuple[str, ...]:
    # A gateway that is killed cannot end its children; the kernel can.
    tool = shutil.which("setpriv")
    return (tool, "--pdeathsig", "KILL", "--") if tool else ()


async def _read(process: asyncio.subprocess.Process, answers: Any) -> None:
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    stdout = process.stdout
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ValueError):
        # A line that is too long raises ValueError and ends the connection.
        while stdout is not None and (line := await stdout.readline()):
            message: Any
            try:
                message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
            except ValueError as error:
                message = error
            await answers.send(message)
    answers.close()


async def _write(process: asyncio.subprocess.Process, requests: Any) -> None:
    with contextlib.suppress(OSError):
        async for item in requests:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            if process.stdin is not None:
                process.stdin.write(text.encode() + b"\n")
                await process.stdin.drain()


async def _log(name: str, process: asyncio.subprocess.Process, said: deque[str]) -> None:
    stream = process.stderr
    while stream is not None and (piece := await stream.read(_LOG_LINE)):
        for line in piece.decode(errors="replace").splitlines():
            said.append(f"it said: {line}")
            log.info("mcp_server_said", server=name, text=line)


async def _end(process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]) -> None:
    """Ends the process and its group, however it takes that."""
    if process.stdin is not None:
        process.stdin.close()
    # Nobody takes its answers any more; a full pipe must not keep it from ending.
    tasks[0].cancel()
    if not await _gone(process):
        _group_signal(process.pid, signal.SIGTERM)
        await _gone(process)
    _group_signal(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), GRACE_SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    # A pipe that somebody outside of the group still holds must not keep ours open.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


async def _gone(process: asyncio.subprocess.Process) -> bool:
    """Whether the process ended within the grace period."""
    deadline = asyncio.get_running_loop().time() + GRACE_SECONDS
    # `wait` also waits for the pipes, which grandchildren may hold.
    while process.returncode is None:
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


def _group_signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
