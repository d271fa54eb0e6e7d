"""Talks to the runner of a command through its socket. Blocking, for a second at most."""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import suppress

from agents.core.errors import ToolError
from tools.background.job import Job, job_read, process_is

_ANSWER_SECONDS = 2.0
# A group is killed two seconds after it was asked to end.
_END_SECONDS = 6.0


def input_send(job: Job, data: bytes) -> None:
    """Gives the command input. Raises ToolError when it takes none (any more)."""
    _input(job, b"W" + data)


def input_end(job: Job) -> None:
    """Tells the command that no more input comes. Raises ToolError when it takes none."""
    _input(job, b"E")


def job_kill(job: Job) -> Job:
    """Ends the command's whole group: asked first, killed after two seconds.

    Returns how it stands then. Works without its runner, too. Does nothing when it has ended.
    """
    if job.running and _ask(job, b"K") is None:
        _kill_alone(job)
    deadline = time.monotonic() + _END_SECONDS
    now = job
    while now.running and time.monotonic() < deadline:
        time.sleep(0.02)
        now = job_read(job.path) or now
    return now


def _kill_alone(job: Job) -> None:
    if not process_is(job.state.pid, job.state.ticks):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(job.state.pid, number)
        deadline = time.monotonic() + 2
        while process_is(job.state.pid, job.state.ticks) and time.monotonic() < deadline:
            time.sleep(0.02)


def _input(job: Job, request: bytes) -> None:
    if job.spec.input == "none":
        raise ToolError(
            f"{job.name} was started without input. Start it with background: true or pty: true "
            "to be able to write to it."
        )
    answer = _ask(job, request) if job.running else "closed"
    if answer == "full":
        raise ToolError(f"{job.name} does not read its input: 1 MB is waiting for it. Try later.")
    if answer != "ok":
        raise ToolError(f"{job.name} takes no input any more: it has ended or its input is closed.")


def _ask(job: Job, request: bytes) -> str | None:
    """The runner's answer, None when it does not give one."""
    try:
        # Through the open folder: the path of a socket must be short, that of a home is not.
        folder = os.open(job.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(_ANSWER_SECONDS)
            client.connect(_address(job, folder))
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
            return client.recv(64).decode()
    except OSError:
        return None
    finally:
        os.close(folder)


def _address(job: Job, folder: int) -> str:
    through = f"/proc/self/fd/{folder}"
    return f"{through}/s" if os.path.exists(through) else str(job.path / "s")  # noqa: PTH110
