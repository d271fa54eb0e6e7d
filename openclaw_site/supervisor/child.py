"""One supervised process: started, watched, started again, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_site.readiness import READY_VARIABLE
from openclaw_site.supervisor.console import Console

ROOT = Path(__file__).resolve().parent.parent.parent
BACKOFF_FIRST = 0.5
# Tests that kill on purpose make it shorter.
BACKOFF_LAST = float(os.environ.get("OPENCLAW_BACKOFF_LIMIT") or 30.0)
# A child that lived this long was healthy: its next failure is a first one again.
HEALTHY_AFTER = 60.0
_LINE_LIMIT = 1024 * 1024
# What a pipe takes in one piece.
_NOTE_LIMIT = 4096
_POLL_SECONDS = 0.02
_LAST_OUTPUT_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What to run. `variables` is asked anew for each start.

    `probe` says whether the process serves; without one the process says so itself
    (see `readiness`). `before_retry` may repair something; it is told how many runs in a row ended
    before they were ready.
    Output lines that contain a text of `noise` are dropped.
    """

    name: str
    command: list[str]
    stop_seconds: float
    variables: Callable[[], Mapping[str, str]] = field(default=dict)
    probe: Callable[[], Awaitable[bool]] | None = None
    before_retry: Callable[[int], None] | None = None
    noise: tuple[str, ...] = ()


def _die_with_parent() -> None:
    # Without it a killed supervisor would leave its children running.
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class Child:
    """A process that is kept running until it is told to stop."""

    def __init__(self, spec: ChildSpec, console: Console) -> None:
        self.spec = spec
        self.ready = asyncio.Event()
        # What the process said when it became ready.
        self.note = ""
        self.early_failures = 0
        self._console = console
        self._process: Process | None = None
        self._stopping = asyncio.Event()
        self._restarting = False
        self._failures = 0
        self._was_ready = False

    async def run(self) -> None:
        """Keeps the process running; returns when it has ended after `stop`."""
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                code = await self._run_once()
            except OSError as exc:
                self._say(f"cannot be started: {exc}")
                code = 127
            if self._stopping.is_set():
                return
            if self._restarting:
                # It was asked to end: neither a failure nor a reason to wait.
                self._restarting = False
                self._say("restarts")
                continue
            await self._retry_wait(code, time.monotonic() - started)

    async def stop(self) -> None:
        """Asks the process to end and waits; after `stop_seconds` it is killed."""
        self._stopping.set()
        await self._end()

    async def restart(self) -> None:
        """The same, and then `run` starts it again at once. Nothing happens while none runs."""
        if self._process is None or self._process.returncode is not None or self._restarting:
            return
        self._restarting = True
        await self._end()

    async def _end(self) -> None:
        self.signal(signal.SIGTERM)
        process = self._process
        if process is None:
            return
        try:
            async with asyncio.timeout(self.spec.stop_seconds):
                await process.wait()
        except TimeoutError:
            self._say(f"did not stop within {self.spec.stop_seconds:g} s and was killed")
            self.signal(signal.SIGKILL)
            await process.wait()

    def kill(self) -> None:
        """Ends the process at once and for good."""
        self._stopping.set()
        self.signal(signal.SIGKILL)

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the running process, if there is one."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    async def _run_once(self) -> int:
        reader, writer = os.pipe()
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *self.spec.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=PIPE,
                stderr=STDOUT,
                cwd=ROOT,
                env={**os.environ, **self.spec.variables(), READY_VARIABLE: str(writer)},
                pass_fds=(writer,),
                process_group=0,
                preexec_fn=_die_with_parent,
                limit=_LINE_LIMIT,
            )
        finally:
            os.close(writer)
        if self._stopping.is_set():
            self.signal(signal.SIGTERM)
        waiting = asyncio.create_task(self._ready_wait(reader))
        copying = asyncio.create_task(self._copy_output(process.stdout))
        try:
            code = await process.wait()
            # A grandchild may keep the pipe open: the rest of the output is not waited for long.
            await asyncio.wait([copying], timeout=_LAST_OUTPUT_SECONDS)
            return code
        finally:
            waiting.cancel()
            copying.cancel()
            await asyncio.gather(waiting, copying, return_exceptions=True)
            os.close(reader)
            self._was_ready = self.ready.is_set()
            self.ready.clear()

    async def _copy_output(self, output: asyncio.StreamReader | None) -> None:
        while output is not None:
            try:
                line = await output.readline()
            except ValueError:
                line = b"(a line was too long and was left out)"
            if not line:
                return
            text = line.decode(errors="replace").rstrip()
            if text and not any(noise in text for noise in self.spec.noise):
                self._say(text)

    async def _ready_wait(self, reader: int) -> None:
        if self.spec.probe is None:
            loop = asyncio.get_running_loop()
            readable = asyncio.Event()
            loop.add_reader(reader, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(reader)
            line = os.read(reader, _NOTE_LIMIT)
            if not line:
                return
            self.note = line.decode().strip()
        else:
            while not await self.spec.probe():  # noqa: ASYNC110 - a server cannot signal us
                await asyncio.sleep(_POLL_SECONDS)
        self.ready.set()

    async def _retry_wait(self, code: int, lived: float) -> None:
        self._failures = 1 if lived >= HEALTHY_AFTER else self._failures + 1
        self.early_failures = 0 if self._was_ready else self.early_failures + 1
        delay = min(BACKOFF_FIRST * 2 ** (self._failures - 1), BACKOFF_LAST)
        self._say(f"ended ({_exit_text(code)}); starts again in {delay:g} s")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay):
                await self._stopping.wait()
        if self.spec.before_retry is not None and not self._stopping.is_set():
            self.spec.before_retry(self.early_failures)

    def _say(self, text: str) -> None:
        self._console.line(self.spec.name, text)


def _exit_text(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
