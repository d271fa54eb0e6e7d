"""How the tool `process` and operators' commands tell of a background command."""

from __future__ import annotations

import signal as signals

from tools.background.job import Job
from tools.background.segments import output_read
from tools.builtin.exec.output import Output

_LABEL = 80


def job_output(job: Job, offset: int = 0) -> tuple[Output, int]:
    """What it printed from that byte on, as far as it is kept, and the byte after it."""
    output = Output()
    while True:
        start, data = output_read(str(job.path), offset)
        if not data:
            return output, offset
        output.leave_out(start - offset)
        output.add(data)
        offset = start + len(data)


def job_label(job: Job) -> str:
    """The beginning of the command, on one line."""
    line = " ".join(job.spec.command.split())
    return line if len(line) <= _LABEL else line[:_LABEL] + "…"


def job_standing(job: Job) -> str:
    """How it stands, in a few words."""
    code, by = job.state.code, job.state.by
    if code is None:
        return "lost: it ended together with its runner" if job.status == "lost" else "running"
    if by == "timeout":
        return f"stopped: it ran longer than {job.spec.seconds:g} seconds"
    if by in ("kill", "parent"):
        return "killed"
    if code < 0:
        return f"ended by signal {_signal_name(-code)}"
    return f"exited with code {code}"


def duration(seconds: float) -> str:
    """A duration such as 42s, 3m 5s or 2h 10m."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    return f"{whole // 3600}h {whole % 3600 // 60}m"


def _signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:
        return str(number)
