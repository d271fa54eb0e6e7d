"""Ends of background commands are announced once, by whichever process finds them first.

A file `told` in the folder of a command says what became of that: "telling" (somebody began to),
"told", or "seen" (the agent has looked, or nobody wants to know). Blocking.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import structlog

from tools.background.job import Job, job_read
from tools.background.jobs import jobs_folder
from tools.background.segments import output_total
from tools.exec_settings import exec_settings_read
from tools.sinks import BACKGROUND_ENDED, BACKGROUND_SEEN, BackgroundEnded

log = structlog.get_logger(__name__)

Mark = Literal["", "telling", "told", "seen"]
_NAME = "told"
# What the reference shows of the output (runtime.md 4.2).
_TAIL = 180
# Bytes before the end that are read for it.
_NEAR_END = 4_096


def endings_unannounced() -> list[Job]:
    """Commands in the background that have ended, and whose end nobody knows yet. Costs little."""
    found = []
    for path in jobs_folder().iterdir():
        if (path / _NAME).exists() and _mark_of(path) != "telling":
            continue
        job = job_read(path)
        if job is not None and job.state.free and not job.running:
            found.append(job)
    return found


def endings_announce(jobs: Sequence[Job]) -> int:
    """Tells the sinks of these ends; returns of how many. Uses the database.

    What a sink could not take is told again the next time.
    """
    return sum(_announce(job) for job in jobs)


def _announce(job: Job) -> bool:
    if not _wanted(job):
        _mark(job, "seen")
        return False
    _mark(job, "telling")
    ended = _ended(job)
    for name, sink in BACKGROUND_ENDED:
        try:
            sink(ended)
        except Exception:
            log.exception("background.end_not_told", sink=name, job=job.name)
            return False
    # An agent may have looked meanwhile.
    if _mark_of(job.path) == "telling":
        _mark(job, "told")
    return True


def ending_seen(job: Job) -> bool:
    """The agent was shown that a command has ended, so it need not be told.

    True when it was or is being announced already: then `ending_withdraw` must be called, where
    the database may be used.
    """
    if job.running:
        return False
    before = _mark_of(job.path)
    if before != "seen":
        _mark(job, "seen")
    return before in ("telling", "told")


def ending_withdraw(job: Job) -> None:
    """Takes an announcement back that nobody has read yet. Uses the database."""
    for _name, sink in BACKGROUND_SEEN:
        sink(ending_key(job), job.spec.session_key)


def ending_key(job: Job) -> str:
    """What names the end of this command for ever; names are used again."""
    return f"exec:{job.name}:{round(job.state.started * 1000)}"


def ending_text(job: Job) -> str:
    """One line: how it ended, and the last words that it printed."""
    word = "completed" if job.status == "completed" else "failed"
    tail = _tail(job)
    return f"Exec {word} ({job.name}, {_how(job)})" + (f" :: {tail}" if tail else "")


def _how(job: Job) -> str:
    state = job.state
    if state.by == "timeout":
        return f"stopped after {job.spec.seconds:g} s"
    if state.code is None:
        return "lost with its runner"
    return f"code {state.code}" if state.code >= 0 else f"signal {-state.code}"


def _tail(job: Job) -> str:
    from tools.builtin.process_words import job_output

    offset = max(0, output_total(str(job.path)) - _NEAR_END)
    return " ".join(job_output(job, offset)[0].tail().split())[-_TAIL:]


def _wanted(job: Job) -> bool:
    """Whether anybody wants to know: not of what was ended on purpose, nor of a silent success."""
    # The commands of a sandbox stand under a name with it.
    settings = exec_settings_read(job.spec.agent.partition("@")[0])
    if (
        not settings.notify_on_exit
        or job.state.by in ("kill", "parent")
        or not job.spec.session_key
    ):
        return False
    silent = job.state.code == 0 and not output_total(str(job.path))
    return settings.notify_on_success or not silent


def _ended(job: Job) -> BackgroundEnded:
    spec = job.spec
    return BackgroundEnded(
        key=ending_key(job),
        name=job.name,
        agent=spec.agent,
        person=spec.person,
        session_key=spec.session_key,
        run_id=spec.run,
        text=ending_text(job),
    )


def _mark_of(path: Path) -> Mark:
    with suppress(OSError):
        text = (path / _NAME).read_text(encoding="ascii")
        return "told" if text == "told" else "seen" if text == "seen" else "telling"
    return ""


def _mark(job: Job, mark: Mark) -> None:
    # A folder that was removed meanwhile needs none.
    with suppress(OSError):
        fresh = job.path / f"{_NAME}.new"
        fresh.write_text(mark, encoding="ascii")
        fresh.replace(job.path / _NAME)
