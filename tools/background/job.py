"""One command that a runner keeps, as its folder tells it. Any process may look."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

Status = Literal["starting", "running", "completed", "failed", "lost"]

_SPEC, _STATE = "spec", "state"


@dataclass(frozen=True, slots=True)
class Spec:
    """What was asked for, and by whom: `run` is the turn that did. Never changes."""

    command: str
    folder: str
    agent: str
    person: str
    session_key: str
    input: Literal["none", "pipe", "pty"]
    seconds: float
    run: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What the runner last wrote. `code` is negative for a signal, None while it runs.

    `by` says what ended it: itself, timeout, kill, parent. `free` is false as long as a turn waits
    for it. Times are Unix seconds, `ended` 0 while it runs.
    """

    runner: int = 0
    runner_ticks: int = 0
    pid: int = 0
    ticks: int = 0
    started: float = 0.0
    ended: float = 0.0
    code: int | None = None
    by: str = "itself"
    free: bool = False
    left_running: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A command with its folder as it was at one moment; look again for news.

    `alive`: the command or its runner still was there.
    """

    name: str
    path: Path
    spec: Spec
    state: State
    alive: bool

    @property
    def status(self) -> Status:
        """How it stands. "lost": it ended together with its runner, and nobody saw how."""
        state = self.state
        if state.code is None:
            if state.pid == 0:
                return "starting"
            return "running" if self.alive else "lost"
        failed = state.code < 0 or state.code in (126, 127) or state.by != "itself"
        return "failed" if failed else "completed"

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self.status in ("starting", "running")

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        if not self.state.started:
            return 0.0
        return max(0.0, (self.state.ended or time.time()) - self.state.started)


def spec_write(path: Path, spec: Spec) -> None:
    """Writes what was asked for into a new folder of a command."""
    content = {name: getattr(spec, name) for name in Spec.__slots__}
    (path / _SPEC).write_bytes(orjson.dumps(content))


def job_read(path: Path) -> Job | None:
    """The command that is kept in a folder; None when none is, or it was just removed."""
    spec = _read(path / _SPEC)
    if spec is None:
        return None
    state = _state(path)
    alive = _lives(state)
    if not alive and state.code is None:
        # It may have ended between the two looks.
        state = _state(path)
    try:
        return Job(path.name, path, Spec(**spec), state, alive)
    except TypeError:
        return None


def _state(path: Path) -> State:
    written = _read(path / _STATE) or {}
    names = {"leftRunning": "left_running", "runnerTicks": "runner_ticks"}
    try:
        return State(**{names.get(name, name): value for name, value in written.items()})
    except TypeError:
        return State()


def _lives(state: State) -> bool:
    both = ((state.runner, state.runner_ticks), (state.pid, state.ticks))
    return any(pid and process_is(pid, ticks) for pid, ticks in both)


def process_is(pid: int, ticks: int) -> bool:
    """Whether that process still lives, and is not a later one with the same number."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()
        return int(fields[19]) == ticks and fields[0] != b"Z"
    except FileNotFoundError:
        # Without /proc only the number can be asked for.
        return not Path("/proc/self").exists() and _answers(pid)
    except (OSError, ValueError, IndexError):
        return False


def _answers(pid: int) -> bool:
    with suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return content if isinstance(content, dict) else None
