"""Starts a runner and stays tied to it until the command ended or was let go."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from agents.core.errors import ToolError
from tools.background.job import Spec

_RUNNER = Path(__file__).with_name("runner.py")

# Runners that live on. Held, so that what is left of them can be collected when they end.
_let_go: list[subprocess.Popen[bytes]] = []


class Tied:
    """A started command. Leaving the block without `let_go` ends the command's group."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes], tie: int) -> None:
        self.path = path
        self.pid = 0
        self._process = process
        self._tie = tie
        self._reader = asyncio.StreamReader()
        self._transport: asyncio.ReadTransport | None = None
        self._event: asyncio.Task[bytes] | None = None

    async def __aenter__(self) -> Tied:
        if self._process.stdout is not None:
            self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(self._reader), self._process.stdout
            )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._tie)
        if self._event is not None:
            self._event.cancel()
        if self._transport is not None:
            self._transport.close()
        _let_go.append(self._process)
        _collect()

    async def started(self) -> None:
        """Waits until the command runs. Raises ToolError when it could not be started."""
        word, _, rest = (await self._next()).partition(" ")
        if word != "started":
            why = os.strerror(int(rest)) if rest else "its runner ended early"
            raise ToolError(f"command: could not be started: {why}.")
        self.pid = int(rest)

    async def ended(self, seconds: float | None) -> bool:
        """Waits for the end, for so many seconds at most; returns whether it has come."""
        done, _ = await asyncio.wait({self._waiting()}, timeout=seconds)
        return bool(done)

    def stop(self) -> None:
        """Asks the command's group to end; it is killed after two seconds."""
        self._say(b"K")

    async def let_go(self) -> bool:
        """Makes the command live on without this process; False when it ended at this moment."""
        self._say(b"D")
        return await self._next() == "free"

    def _say(self, what: bytes) -> None:
        # The runner may have ended meanwhile; what it said last tells so.
        with suppress(OSError):
            os.write(self._tie, what)

    def _waiting(self) -> asyncio.Task[bytes]:
        if self._event is None:
            self._event = asyncio.ensure_future(self._reader.readline())
        return self._event

    async def _next(self) -> str:
        """The next thing that the runner says, "" when it is gone."""
        said = await self._waiting()
        self._event = None
        return said.decode().strip()


def runner_start(
    path: Path, spec: Spec, *, argv: Sequence[str], environment: Mapping[str, str]
) -> Tied:
    """Starts a runner for the command in its folder, in a few milliseconds.

    To be called on an event loop. Raises ToolError when that cannot be.
    """
    words = [spec.input, repr(spec.seconds), spec.folder, *argv]
    # Not in a thread: a cancelled caller would lose the tie, and the command run for ever.
    return _start(path, words, environment)


def _start(path: Path, words: Sequence[str], environment: Mapping[str, str]) -> Tied:
    ear, tie = os.pipe()
    try:
        with (path / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_RUNNER), *words],
                stdin=ear,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=path,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        os.close(tie)
        raise ToolError(f"command: could not be started: {error.strerror}.") from None
    finally:
        os.close(ear)
    return Tied(path, process, tie)


def _collect() -> None:
    """Lets the system forget runners that have ended."""
    _let_go[:] = [process for process in _let_go if process.poll() is None]
