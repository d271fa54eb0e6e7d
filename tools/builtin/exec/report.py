"""Says how a command ended."""

from __future__ import annotations

import signal as signals

from agents.core.tools import ToolResult
from tools.background.job import Job
from tools.builtin.exec.output import TAIL_CHARACTERS, Output
from tools.builtin.exec.process import Command, Ended

_HINTS = {
    126: "it was found but cannot be run: check that it is executable and a program",
    127: "command not found: check the spelling and that it is installed",
}


def exec_result(output: Output, ended: Ended, command: Command) -> ToolResult:
    """The output with a note about the end, as the model gets it, and the facts as details."""
    text = output.text().rstrip("\n")
    notes = _notes(ended, command.seconds)
    failed = ended.by != "itself" or ended.code is None or ended.code < 0 or ended.code in _HINTS
    shown = text if text.strip() else "(no output)"
    return ToolResult.text(
        "\n\n".join([shown, *(f"[{note}]" for note in notes)]),
        is_error=failed,
        status="failed" if failed else "completed",
        exitCode=ended.code if ended.code is not None and ended.code >= 0 else None,
        signal=_signal_name(-ended.code) if ended.code is not None and ended.code < 0 else None,
        durationMs=ended.milliseconds,
        cwd=str(command.folder),
        timedOut=ended.by == "timeout",
        tail=text[-TAIL_CHARACTERS:],
    )


def running_result(job: Job, output: Output) -> ToolResult:
    """What the model gets of a command that went to the background, and the facts as details."""
    tail = output.tail()
    parts = [
        f"The command goes on in the background as {job.name} (pid {job.state.pid}). Use the tool "
        "process to look at it (poll, log), to write to it, or to end it (kill).",
        f"Its output so far, the end:\n{tail}" if tail.strip() else "It has printed nothing yet.",
    ]
    return ToolResult.text(
        "\n\n".join(parts),
        status="running",
        sessionId=job.name,
        pid=job.state.pid,
        startedAt=round(job.state.started * 1000),
        cwd=job.spec.folder,
        tail=tail,
    )


def _notes(ended: Ended, seconds: float) -> list[str]:
    notes = []
    if ended.by == "timeout":
        notes.append(f"stopped: it ran longer than {seconds:g} seconds; raise timeout if it must")
    elif ended.by == "abort":
        notes.append("stopped: the run was ended")
    elif ended.code:
        notes.append(_code_note(ended.code))
    if ended.code is None:
        notes.append("it could not be killed and may still run")
    elif ended.left_running and ended.by == "itself":
        notes.append("something it started in the background still runs; its output is not read")
    return notes


def _code_note(code: int) -> str:
    if code < 0:
        return f"ended by signal {_signal_name(-code)}"
    if code in _HINTS:
        return f"exited with code {code}: {_HINTS[code]}"
    name = _signal_name(code - 128) if code > 128 else ""
    return f"exited with code {code}" + (f" ({name})" if name.startswith("SIG") else "")


def _signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:
        return str(number)
