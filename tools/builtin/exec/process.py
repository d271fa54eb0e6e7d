"""Runs one program in its own session and makes sure that it ends."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal as signals
import time
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError

EndedBy = Literal["itself", "timeout", "abort"]

# Seconds between asking a process group to end and killing it.
_GRACE_SECONDS = 2.0
# After the kill; only a process stuck in the kernel or of another user outlives it.
_KILL_SECONDS = 3.0
# A cancelled caller waits only this long for the kernel to report the kill.
_REAP_SECONDS = 0.5
# How long output may stay silent, and be awaited at all, once the program itself has ended.
_QUIET_SECONDS = 0.1
_DRAIN_SECONDS = 1.0
_PIPE_BYTES = 256 * 1024
# A full read means a flood of output; a short pause leaves the loop to other turns.
_FLOOD_BYTES = 64 * 1024
_FLOOD_PAUSE_SECONDS = 0.002


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, where, with which variables, and for how many seconds at most (0: no limit)."""

    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended. `code` is negative for a signal, None when it could not be ended.

    `left_running` says that something it started still holds its output.
    """

    code: int | None
    by: EndedBy
    milliseconds: int
    left_running: bool


async def run_process(
    command: Command, *, signal: AbortSignal, sink: Callable[[bytes], None]
) -> Ended:
    """Runs the command, its output (both streams in one order) going to `sink`.

    When its time is over or `signal` is set the whole process group is ended: asked first,
    killed after two seconds. Returns soon after the program itself
    ended, also when something in the background keeps the output open. Raises ToolError when it
    cannot be started. When the calling task is cancelled the group is killed.
    """
    began = time.monotonic()
    process, reader = await _started(command, sink)
    exited = asyncio.ensure_future(process.wait())
    aborted = asyncio.ensure_future(signal.wait())
    try:
        await asyncio.wait(
            {exited, aborted}, timeout=command.seconds or None, return_when=asyncio.FIRST_COMPLETED
        )
        by: EndedBy = "itself"
        if not exited.done():
            by = "abort" if aborted.done() else "timeout"
            await _end(process.pid, exited)
        left_running = not await reader.drained()
        return Ended(process.returncode, by, round((time.monotonic() - began) * 1000), left_running)
    finally:
        aborted.cancel()
        reader.close()
        if not exited.done():
            _signal_group(process.pid, signals.SIGKILL)
            await asyncio.wait({exited}, timeout=_REAP_SECONDS)
            exited.cancel()


async def _started(command: Command, sink: Callable[[bytes], None]) -> tuple[Process, _Reader]:
    # A pipe of our own: asyncio's waits for everybody who holds its other end.
    read_end, write_end = os.pipe()
    with suppress(OSError, AttributeError):
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    reader = _Reader(sink)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: reader, os.fdopen(read_end, "rb", buffering=0)
    )
    try:
        process = await asyncio.create_subprocess_exec(
            *command.argv,
            stdin=DEVNULL,
            stdout=write_end,
            stderr=STDOUT,
            cwd=command.folder,
            env=command.environment,
            start_new_session=True,
        )
    except BaseException as error:
        reader.close()
        if isinstance(error, OSError):
            raise ToolError(f"command: could not be started: {error.strerror}.") from None
        raise
    finally:
        os.close(write_end)
    return process, reader


async def _end(group: int, exited: asyncio.Future[int]) -> None:
    deadline = time.monotonic() + _GRACE_SECONDS
    _signal_group(group, signals.SIGTERM)
    await asyncio.wait({exited}, timeout=_GRACE_SECONDS)
    # Nothing tells when the last process of a group is gone.
    while _signal_group(group, 0) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    _signal_group(group, signals.SIGKILL)
    await asyncio.wait({exited}, timeout=_KILL_SECONDS)


def _signal_group(group: int, number: int) -> bool:
    """Signals every process of the group; returns whether there was any that could be."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class _Reader(asyncio.Protocol):
    """Hands on what arrives in the pipe."""

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self._sink = sink
        self._closed = asyncio.Event()
        self._received = 0
        self._transport: asyncio.ReadTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        self._sink(data)
        if len(data) >= _FLOOD_BYTES and self._transport is not None:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(_FLOOD_PAUSE_SECONDS, self._resume)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed.set()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    async def drained(self) -> bool:
        """Waits for the rest; returns False when the pipe is still held open by somebody."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        before = -1
        while before != self._received and time.monotonic() < deadline:
            before = self._received
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), _QUIET_SECONDS)
                return True
        return self._closed.is_set()

    def _resume(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
